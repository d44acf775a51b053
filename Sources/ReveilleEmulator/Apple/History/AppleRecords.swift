/// What is remembered of requests, as the configuration wants it.
struct AppleRecords {
    private var requests: RequestHistory<SeenRequest>?
    private var ids: CompactHistory?
    private var lastNumber: UInt64 = 0

    init(_ keeping: APNsEmulatorConfiguration.Keeping) {
        switch keeping {
        case .everything(let maximumRequests):
            requests = RequestHistory(maximumRequests: maximumRequests)
        case .idsOnly(let maximumBytes): ids = CompactHistory(maximumBytes: maximumBytes)
        }
    }

    /// How many are kept.
    var count: Int { requests?.count ?? ids?.count ?? 0 }

    /// How many had to go.
    var droppedCount: Int { requests?.droppedCount ?? ids?.droppedCount ?? 0 }

    /// The running number of the next request.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Remembers a complete request.
    ///
    /// `request` is made only when it is kept.
    mutating func add(
        number: UInt64, push: ApplePush?, apnsID: String, isAccepted: Bool,
        _ request: () -> SeenRequest
    ) {
        if requests != nil {
            requests?.append(request())
        } else if isAccepted, let push {
            ids?.append(
                number: number, apnsID: apnsID, token: push.token, collapseID: push.collapseID)
        }
    }

    /// Notes what the sender of a request got.
    mutating func setAnswer(_ answer: SeenRequest.Answer, of number: UInt64) {
        requests?.change(number) { $0.answer = answer }
    }

    /// Notes that a request that waited was accepted after all, or refused.
    mutating func setJudgement(_ judgement: Judgement, isAccepted: Bool, of number: UInt64, apnsID: String) {
        requests?.change(number) { request in
            request.push = judgement.push
            request.refusal = judgement.refusal
            request.isAccepted = isAccepted
        }
        guard isAccepted, let push = judgement.push else { return }
        ids?.append(number: number, apnsID: apnsID, token: push.token, collapseID: push.collapseID)
    }

    /// Requests after a running number, oldest first; none when only ids are kept.
    func requests(
        after number: UInt64, limit: Int, where isWanted: (SeenRequest) -> Bool
    ) -> [SeenRequest] {
        requests?.requests(after: number, limit: limit, where: isWanted) ?? []
    }

    /// Ids of accepted pushes after a running number, oldest first, in either way of keeping.
    func pushes(after number: UInt64, limit: Int) -> [CompactPush] {
        if let ids { return ids.pushes(after: number, limit: limit) }
        return requests(after: number, limit: limit, where: \.isAccepted).map { request in
            CompactPush(
                number: request.number, apnsID: request.apnsID, token: request.token ?? "",
                collapseID: request.push?.collapseID)
        }
    }

    /// How many different ids the kept accepted pushes have.
    func distinctIDCount() -> Int {
        if let ids { return ids.distinctIDCount() }
        return Set(requests(after: 0, limit: .max, where: \.isAccepted).map(\.apnsID)).count
    }

    /// Forgets everything but the running number.
    mutating func removeAll() {
        requests?.removeAll()
        ids?.removeAll()
    }
}
