package import ReveilleStorage

extension SQLiteHomeStore {
    package func accept(_ post: NotificationPost) async throws(StoreError) -> AcceptResult {
        let prepared = PreparedPost(post, secrets: secrets)
        return try await writer.write(rows: post.recipients.count) { transaction in
            try AcceptOperation(transaction: transaction, prepared: prepared).run()
        }
    }
}
