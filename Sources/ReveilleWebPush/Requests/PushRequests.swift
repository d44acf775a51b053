internal import ReveilleCore
internal import ReveilleEndpoints
internal import ReveilleHTTP2
internal import ReveilleNetwork
internal import ReveilleSending

/// The requests of one connection to a push service (RFC 8030 section 5): written when a stream is free, encrypted then.
///
/// Before each request the policy is asked about its endpoint again: an operator may have withdrawn a word since.
final class PushRequests: ProviderRequests {
    /// The longest topic (RFC 8030 section 5.4).
    private static let maximumTopicOctets = 32

    private let form: PushForm
    private let rooms: StreamRooms<PushRoom>
    /// The token of the present run of fills.
    private var token: VAPIDToken?
    /// Every token used here, the newest last: requests refer to their octets.
    ///
    /// A connection's life has room for two.
    private var tokens: [VAPIDToken] = []

    init(form: PushForm, streams: Int) {
        self.form = form
        rooms = StreamRooms(capacity: streams) { PushRoom() }
    }

    func takeCredential() {
        let present = form.presentToken
        guard present !== token else { return }
        token = present
        tokens.append(present)
    }

    // MARK: Requests

    func fill(_ stream: HTTP2ClientStream, from buffer: TryBuffer) -> TryEnd? {
        let room = rooms[stream.index]
        do throws(PushFault) {
            let url = try endpoint(of: buffer)
            guard buffer.collapseCount <= Self.maximumTopicOctets else { throw PushFault(.invalidRequest) }
            let count = try encrypt(buffer, into: room)
            try write(stream, to: url, buffer, room, count)
            return nil
        } catch {
            return form.refuse(error.reason)
        }
    }

    /// The endpoint, if it may be sent to and belongs to this lane.
    private func endpoint(of buffer: TryBuffer) throws(PushFault) -> EndpointURL {
        let octets = UnsafeRawBufferPointer(start: buffer.address, count: buffer.addressCount)
        let text = PushSubscription.withParts(of: octets) { endpoint, _, _ in String(decoding: endpoint, as: UTF8.self)
        }
        guard let text, let url = try? form.policy.endpoint(text, kind: form.kind) else {
            throw PushFault(.endpointRefused)
        }
        guard url.origin == form.origin else { throw PushFault(.otherOrigin) }
        return url
    }

    private func encrypt(_ buffer: TryBuffer, into room: PushRoom) throws(PushFault) -> Int {
        let text = UnsafeRawBufferPointer(start: buffer.payload.baseAddress, count: buffer.payloadCount)
        guard !text.isEmpty, text.count <= WebPushPayload.maximumOctets else { throw PushFault(.invalidRequest) }
        room.isPadded = !form.goesUnpadded(buffer)
        let octets = UnsafeRawBufferPointer(start: buffer.address, count: buffer.addressCount)
        let count = PushSubscription.withParts(of: octets) { _, publicKey, secret in
            try? form.encryption.encrypt(
                text, publicKey: publicKey, secret: secret,
                paddedBytes: room.isPadded ? MessageEncryption.wakeBytes : 0,
                into: room.message)
        }
        guard let count = count ?? nil else { throw PushFault(.unusableKeys) }
        return count
    }

    private func write(
        _ stream: HTTP2ClientStream, to url: EndpointURL, _ buffer: TryBuffer, _ room: PushRoom, _ count: Int
    ) throws(PushFault) {
        guard let token, let authorization = token.authorization.baseAddress else { throw PushFault(.invalidRequest) }
        let life = form.remainingSeconds(until: buffer.expirationSeconds)
        stream.add(":method", "POST")
        stream.add(":scheme", "https")
        stream.add(":authority", form.authority.start, count: form.authority.count, .indexed)
        room.addTarget(url.target, to: stream)
        stream.add("content-type", "application/octet-stream")
        stream.add("content-encoding", "aes128gcm")
        room.addTimeToLive(life, to: stream)
        switch buffer.mode {
        case .privateAlert: stream.add("urgency", "high")
        case .backgroundWake: stream.add("urgency", "normal")
        }
        if buffer.collapseCount > 0 {
            stream.add("topic", buffer.collapse, count: buffer.collapseCount, .neverIndexed)
        }
        // Microsoft drops a message that is to live for no time, unless it is told not to keep it.
        if form.isMicrosoft {
            if life == 0 {
                stream.add("x-wns-cache-policy", "no-cache")
            } else {
                stream.add("x-wns-cache-policy", "cache")
            }
        }
        stream.add("authorization", authorization, count: token.authorization.count, .neverIndexed)
        room.addMessage(count, to: stream)
    }

    // MARK: Answers

    func isAccepted(_ stream: HTTP2ClientStream) -> Bool {
        // The rest is looked at more closely: pages for people come with 200, too.
        stream.end == .answered && stream.status == 201 && stream.withBody(\.isEmpty)
            && stream.withWatchedField(PushForm.notificationStatusField) { $0 == nil }
    }

    func read(_ stream: HTTP2ClientStream, of buffer: TryBuffer) -> TryEnd? {
        // A status is an answer once its head was whole, however much came behind it: of a long body enough was read.
        guard stream.status >= 200, stream.end == .answered || stream.receivedBodyBytes > 0 else { return nil }
        let room = rooms[stream.index]
        return form.read(stream, wasPadded: room.isPadded, buffer)
    }
}

/// Why a request was not written.
struct PushFault: Error {
    let reason: WebPushReason

    init(_ reason: WebPushReason) { self.reason = reason }
}
