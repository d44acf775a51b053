package import ReveilleCore
package import ReveilleStorage

/// Takes notifications from producers: decides visible or silent and hands them to the store.
package struct Acceptance: Sendable {
    private let store: any AcceptingStore
    private let categories: CategoryRegistry
    private let publicIDs: PublicIDs
    private let requestHash: RequestHash

    /// Accepts into `store`.
    package init(
        store: any AcceptingStore, categories: CategoryRegistry, publicIDs: PublicIDs,
        requestHash: RequestHash
    ) {
        self.store = store
        self.categories = categories
        self.publicIDs = publicIDs
        self.requestHash = requestHash
    }

    /// Accepts a notification; when it returns, everything of it is on disk.
    ///
    /// The same key with the same request gives the same answer for 24 hours.
    package func accept(
        _ draft: NotificationDraft, by caller: ProducerCaller
    ) async throws(InboxError) -> NotificationAnswer {
        try draft.check()
        let idempotency = draft.idempotencyKey.map { key in
            Idempotency(
                key: key, fingerprint: requestHash.hash(RequestFingerprint(draft).octets))
        }
        let post = NotificationPost(
            producer: caller.producer, recipients: draft.recipients, category: draft.category,
            title: draft.title, body: draft.body, data: draft.data, series: draft.series,
            alert: categories.alert(category: draft.category, requested: draft.alert),
            ttlSeconds: draft.ttlSeconds, idempotency: idempotency)
        let result = try await translating { () throws(StoreError) in
            try await store.accept(post)
        }
        switch result {
        case .accepted(let accepted), .replayed(let accepted):
            return answer(accepted, recipients: draft.recipients)
        case .keyUsedForOtherRequest:
            throw InboxError(.idempotencyKeyReused, field: "Idempotency-Key")
        }
    }

    private func answer(
        _ accepted: AcceptedNotification, recipients: [String]
    ) -> NotificationAnswer {
        NotificationAnswer(
            notificationID: publicIDs.uuid(.notification, row: accepted.notification.number),
            deliveries: zip(recipients, accepted.deliveries).map { recipient, delivery in
                NotificationAnswer.Delivery(
                    profileID: recipient,
                    deliveryID: publicIDs.text(.delivery, row: delivery.number))
            },
            acceptedAtMilliseconds: accepted.acceptedAtMilliseconds)
    }
}

/// What a producer learns of an accepted notification.
package struct NotificationAnswer: Hashable, Sendable {
    /// One recipient's delivery.
    package struct Delivery: Hashable, Sendable {
        package let profileID: String
        package let deliveryID: String
    }

    package let notificationID: String
    /// In the order of the recipients.
    package let deliveries: [Delivery]
    /// When it was accepted first, in milliseconds since 1970.
    package let acceptedAtMilliseconds: Int64
}
