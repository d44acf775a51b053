import ReveilleCore

/// What a connection would have put on the wire, copied out of its buffer.
struct SentRequest: Hashable, Sendable {
    let tag: UInt64
    let token: String
    let requestID: String
    let collapse: String
    let payload: String
    let topic: String
    let mode: WakeMode
    let expirationSeconds: Int64

    init(_ buffer: TryBuffer) {
        func text(_ start: UnsafeMutablePointer<UInt8>, _ count: Int) -> String {
            String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        }
        tag = buffer.tag
        token = text(buffer.address, buffer.addressCount)
        requestID = text(buffer.requestID, 36)
        collapse = text(buffer.collapse, buffer.collapseCount)
        payload = String(decoding: buffer.payload.prefix(buffer.payloadCount), as: UTF8.self)
        topic = buffer.topic.text
        mode = buffer.mode
        expirationSeconds = buffer.expirationSeconds
    }
}
