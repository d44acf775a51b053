internal import CNghttp2
import ReveilleBytes

/// What callbacks note while the library reads.
extension HTTP2ServerEngine {
    /// False when the client sends too many frames of a kind.
    func noteFrameBegins(type: UInt8) -> Bool {
        guard policing.allowsFrame(type: type) else {
            isOverworked = true
            return false
        }
        return true
    }

    func noteRequestBegins(_ id: Int32) {
        let stream = idleStreams.popLast() ?? HTTP2ServerStream()
        stream.open(id)
        streams[id] = stream
    }

    func noteField(
        stream id: Int32, isTrailer: Bool, name: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) {
        guard let stream = streams[id], stream.fault == nil else { return }
        stream.listBytes += name.count + value.count + 32
        guard stream.listBytes <= limits.maximumHeaderListBytes else {
            stream.fault = .headerListTooLarge
            return
        }
        // Trailers are checked and counted; nothing here needs what they say.
        guard !isTrailer else { return }
        if name.first == UInt8(ascii: ":") {
            notePseudoField(stream, name: name, value: value)
            return
        }
        guard stream.fields.count < limits.maximumFields else {
            stream.fault = .tooManyFields
            return
        }
        switch name.count {
        case 4 where name.elementsEqual("host".utf8): stream.host = FieldText.string(value)
        case 14 where name.elementsEqual("content-length".utf8):
            // The library refuses what is no number; what does not fit is larger than any limit.
            stream.contentLength = Int(FieldText.string(value)) ?? Int.max
        default: break
        }
        stream.fields.append(checkedName: name, value: value)
    }

    private func notePseudoField(
        _ stream: HTTP2ServerStream, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) {
        switch name.count {
        case 5: stream.path = FieldText.string(value)
        case 7 where name[1] == UInt8(ascii: "m"): stream.method = FieldText.string(value)
        case 7: stream.scheme = FieldText.string(value)
        case 10: stream.authority = FieldText.string(value)
        default: break
        }
    }

    /// A header or trailer section is complete and legal as far as the library checks.
    func noteHeaders(_ id: Int32, endsStream: Bool) {
        guard let stream = streams[id] else { return }
        if !stream.isHeadComplete {
            stream.isHeadComplete = true
            if let host = stream.host, !stream.authority.isEmpty,
                host.lowercased() != stream.authority.lowercased()
            {
                resetMalformed(id)
                return
            }
            if stream.fault == nil, let length = stream.contentLength,
                length > limits.maximumBodyBytes
            {
                stream.fault = .bodyTooLarge
            }
            if stream.fault == nil { inbox.append(.head(stream)) }
        }
        tellFault(stream)
        if endsStream { noteRequestEnds(stream) }
    }

    private func tellFault(_ stream: HTTP2ServerStream) {
        guard let fault = stream.fault, !stream.isFaultTold else { return }
        stream.isFaultTold = true
        inbox.append(.fault(stream, fault))
    }

    func noteBody(_ id: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard let stream = streams[id], stream.fault == nil else { return }
        stream.bodyBytes += bytes.count
        guard stream.bodyBytes <= limits.maximumBodyBytes else {
            stream.fault = .bodyTooLarge
            tellFault(stream)
            return
        }
        stream.unreadBody.append(contentsOf: bytes)
        if !stream.hasQueuedBody {
            stream.hasQueuedBody = true
            inbox.append(.body(stream))
        }
    }

    /// False when the client sends too many DATA frames that carry nothing.
    func noteData(_ id: Int32, isEmpty: Bool, endsStream: Bool) -> Bool {
        if endsStream {
            if let stream = streams[id] { noteRequestEnds(stream) }
            return true
        }
        guard isEmpty, !policing.allowsEmptyData() else { return true }
        isOverworked = true
        return false
    }

    private func noteRequestEnds(_ stream: HTTP2ServerStream) {
        stream.isRequestComplete = true
        if stream.fault == nil { inbox.append(.end(stream)) }
    }

    private func resetMalformed(_ id: Int32) {
        nghttp2_submit_rst_stream(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, HTTP2ErrorCode.protocolError.rawValue)
    }

    func noteAnswerSent(_ id: Int32) {
        guard let stream = streams[id] else { return }
        stream.isAnswerSent = true
        if !stream.isRequestComplete { answeredEarly.append(id) }
    }

    func noteResetSent() {
        if !policing.allowsSentReset() { isOverworked = true }
    }

    func noteClose(_ id: Int32, _ code: HTTP2ErrorCode) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        stream.isClosed = true
        inbox.append(.close(stream, code))
    }
}
