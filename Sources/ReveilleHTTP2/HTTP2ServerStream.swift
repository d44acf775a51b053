import ReveilleBytes

/// One request and its answer, from the first HEADERS frame to the close.
///
/// Objects are used again, so that a busy connection allocates little.
final class HTTP2ServerStream {
    enum Delivery {
        /// The delegate has not heard of the stream.
        case pending
        /// The delegate knows the stream.
        case announced
    }

    private(set) var id: Int32 = 0
    var delivery = Delivery.pending

    // The request.
    var method = ""
    var scheme = ""
    var authority = ""
    var path = ""
    var host: String?
    var fields = FieldList()
    var listBytes = 0
    var contentLength: Int?
    var fault: HTTP2RequestFault?
    var isFaultTold = false
    var isHeadComplete = false
    var isRequestComplete = false
    var bodyBytes = 0
    /// What came since the delegate was last told.
    var unreadBody: [UInt8] = []
    var hasQueuedBody = false

    // The answer.
    var isAnswered = false
    var isAnswerSent = false
    var answer: [UInt8] = []
    var answerOffset = 0
    var isClosed = false

    /// Prepares the object for a stream.
    func open(_ id: Int32) {
        self.id = id
        delivery = .pending
        host = nil
        fields = FieldList()
        fields.reserve(pairs: 12, bytes: 384)
        listBytes = 0
        contentLength = nil
        fault = nil
        isFaultTold = false
        isHeadComplete = false
        isRequestComplete = false
        bodyBytes = 0
        unreadBody.removeAll(keepingCapacity: true)
        hasQueuedBody = false
        isAnswered = false
        isAnswerSent = false
        answer = []
        answerOffset = 0
        isClosed = false
        scheme = ""
        authority = ""
        path = ""
        method = ""
    }

    /// The head as the delegate sees it.
    ///
    /// Takes the fields, which are told once.
    func takeHead() -> HTTP2RequestHead {
        defer { fields = FieldList() }
        return HTTP2RequestHead(
            method: method, scheme: scheme, authority: authority.isEmpty ? (host ?? "") : authority,
            path: path, fields: fields)
    }
}
