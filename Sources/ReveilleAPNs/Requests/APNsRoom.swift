internal import ReveilleCore
internal import ReveilleHTTP2
internal import ReveilleSending

/// The memory of one stream's request on a connection to APNs: the texts that are made from the try.
///
/// Made once per stream room and used again. Everything the header list refers to lies here, in the try's buffer, or with the
/// connection's requests.
final class APNsRoom {
    private static let pathPrefix: StaticString = "/3/device/"

    /// What changes with each try, in memory without exclusivity checks.
    private struct State {
        var generation = 0
        /// The number in the expiration's text.
        var expires: Int64 = -1
        var expirationCount = 0
    }

    private let state: UnsafeMutablePointer<State>
    private let path: UnsafeMutablePointer<UInt8>
    private let expiration: UnsafeMutablePointer<UInt8>

    init() {
        let prefix = Self.pathPrefix
        path = .allocate(capacity: prefix.utf8CodeUnitCount + TryBuffer.hexadecimalCapacity)
        path.update(from: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        expiration = .allocate(capacity: DecimalText.capacity)
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit {
        path.deallocate()
        expiration.deallocate()
        state.deallocate()
    }

    /// The generation of the provider token of the request under way.
    var tokenGeneration: Int { state.pointee.generation }

    /// Checks the try and fills the stream's room with its request.
    ///
    /// Constants are indexed; token and ids are literals that are never indexed, and so is the expiration unless the
    /// connection sent the same value just before. The topic is kept alive by the buffer, which is not written again before
    /// the stream has ended; the token by the connection.
    ///
    /// - Returns: the expiration sent.
    func fill(
        _ stream: HTTP2ClientStream, from buffer: TryBuffer, authority: HeaderText, token: ProviderToken,
        lastExpiration: Int64
    ) throws(APNsRequestFault) -> Int64 {
        let topic = buffer.topic.octets
        try APNsRequestCheck.check(buffer, topic: topic)
        state.pointee.generation = token.generation
        let expires = writeExpiration(buffer.expirationSeconds)
        let (prefixCount, tokenCount) = (Self.pathPrefix.utf8CodeUnitCount, buffer.addressCount)
        (path + prefixCount).update(from: buffer.address, count: tokenCount)
        guard let topicStart = topic.baseAddress, let authorization = token.authorization.baseAddress else {
            throw .topic
        }
        stream.add(":method", "POST")
        stream.add(":scheme", "https")
        stream.add(":authority", authority.start, count: authority.count, .indexed)
        stream.add(":path", path, count: prefixCount + tokenCount, .neverIndexed)
        stream.add("apns-topic", topicStart, count: topic.count, .indexed)
        switch buffer.mode {
        case .privateAlert:
            stream.add("apns-push-type", "alert")
            stream.add("apns-priority", "10")
        case .backgroundWake:
            stream.add("apns-push-type", "background")
            stream.add("apns-priority", "5")
        }
        stream.add(
            "apns-expiration", expiration, count: state.pointee.expirationCount,
            expires == lastExpiration ? .indexed : .neverIndexed)
        stream.add("authorization", authorization, count: token.authorization.count, .neverIndexed)
        stream.add("apns-id", buffer.requestID, count: APNsRequestCheck.requestIDCount, .neverIndexed)
        let collapseCount = buffer.collapseCount
        if collapseCount > 0 {
            stream.add("apns-collapse-id", buffer.collapse, count: collapseCount, .neverIndexed)
        }
        stream.setBody(UnsafeRawBufferPointer(start: buffer.payload.baseAddress, count: buffer.payloadCount))
        return expires
    }

    /// Writes the digits, unless they stand there from the last time; returns the number sent.
    private func writeExpiration(_ seconds: Int64) -> Int64 {
        let expires = max(seconds, 0)
        if expires != state.pointee.expires {
            state.pointee.expirationCount = DecimalText.write(expires, into: expiration)
            state.pointee.expires = expires
        }
        return expires
    }
}
