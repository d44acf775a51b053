internal import ReveilleCore
internal import ReveilleHTTP2
internal import ReveilleSending

/// The memory of one stream's request: what the fields and the body refer to until the stream has ended.
final class PushRoom {
    /// The longest message: a wake's text padded, or one of its longest form.
    static let messageCapacity = MessageEncryption.messageBytes(
        text: WebPushPayload.maximumOctets, padded: MessageEncryption.wakeBytes)

    /// Where the message is encrypted to.
    let message: UnsafeMutableRawBufferPointer
    /// Whether the message under way was padded.
    var isPadded = false
    private let target: UnsafeMutablePointer<UInt8>
    private let timeToLive: UnsafeMutablePointer<UInt8>
    private let length: UnsafeMutablePointer<UInt8>

    init() {
        message = .allocate(byteCount: Self.messageCapacity, alignment: 16)
        target = .allocate(capacity: PushSubscription.maximumEndpointOctets + 1)
        timeToLive = .allocate(capacity: DecimalText.capacity)
        length = .allocate(capacity: DecimalText.capacity)
    }

    deinit {
        message.deallocate()
        target.deallocate()
        timeToLive.deallocate()
        length.deallocate()
    }

    /// Adds path and query as they came: services compare tokens in them undecoded.
    func addTarget(_ text: String, to stream: HTTP2ClientStream) {
        var text = text
        let count = text.withUTF8 { octets in
            if let start = octets.baseAddress { target.update(from: start, count: octets.count) }
            return octets.count
        }
        stream.add(":path", target, count: count, .neverIndexed)
    }

    /// Adds how long the service may keep the message.
    func addTimeToLive(_ seconds: Int64, to stream: HTTP2ClientStream) {
        stream.add("ttl", timeToLive, count: DecimalText.write(seconds, into: timeToLive), .neverIndexed)
    }

    /// Adds the message, of which so many octets were written.
    func addMessage(_ count: Int, to stream: HTTP2ClientStream) {
        stream.add("content-length", length, count: DecimalText.write(Int64(count), into: length), .indexed)
        stream.setBody(UnsafeRawBufferPointer(rebasing: message[..<count]))
    }
}
