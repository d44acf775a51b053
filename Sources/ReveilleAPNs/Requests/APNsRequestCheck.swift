package import ReveilleCore

/// The last check of a try's texts before they become a path and headers.
///
/// Each text is read once, without branches on its octets, so that the compiler checks many at a time.
package enum APNsRequestCheck {
    /// The characters of a UUID.
    package static let requestIDCount = 36

    /// Checks what the lane wrote.
    ///
    /// - Throws: the first fault found.
    package static func check(_ buffer: TryBuffer) throws(APNsRequestFault) {
        try check(buffer, topic: buffer.topic.octets)
    }

    /// Checks what the lane wrote, its topic's octets at hand.
    static func check(_ buffer: TryBuffer, topic: UnsafeBufferPointer<UInt8>) throws(APNsRequestFault) {
        let (tokenCount, collapseCount, payloadCount) = (buffer.addressCount, buffer.collapseCount, buffer.payloadCount)
        guard tokenCount >= 2, tokenCount <= TryBuffer.hexadecimalCapacity, tokenCount % 2 == 0,
            isHexadecimal(buffer.address, tokenCount)
        else { throw .tokenText }
        guard isRequestID(buffer.requestID) else { throw .requestID }
        guard let topicStart = topic.baseAddress, topic.count > 0, isVisible(topicStart, topic.count) else {
            throw .topic
        }
        guard payloadCount > 0 else { throw .payloadEmpty }
        guard payloadCount <= min(APNsPayload.maximumOctets, buffer.payload.count) else { throw .payloadTooLarge }
        guard (0...CollapseID.maximumOctets).contains(collapseCount), isFieldValue(buffer.collapse, collapseCount)
        else { throw .collapseID }
    }

    /// Lower-case hexadecimal digits and nothing else.
    private static func isHexadecimal(_ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        var foreign: UInt8 = 0
        for index in 0..<count { foreign |= isDigit(text[index]) ^ 1 }
        return foreign == 0
    }

    /// A UUID in lower case: digits, and hyphens in four places only.
    private static func isRequestID(_ text: UnsafePointer<UInt8>) -> Bool {
        let hyphen = UInt8(ascii: "-")
        var foreign: UInt8 = 0
        var hyphens: UInt8 = 0
        for index in 0..<requestIDCount {
            let isHyphen: UInt8 = text[index] == hyphen ? 1 : 0
            hyphens &+= isHyphen
            foreign |= (isDigit(text[index]) | isHyphen) ^ 1
        }
        return foreign == 0 && hyphens == 4 && text[8] == hyphen && text[13] == hyphen && text[18] == hyphen
            && text[23] == hyphen
    }

    /// 1 for a lower-case hexadecimal digit, otherwise 0.
    @inline(__always)
    private static func isDigit(_ octet: UInt8) -> UInt8 {
        (octet &- 0x30 < 10 ? 1 : 0) | (octet &- 0x61 < 6 ? 1 : 0)
    }

    /// A legal field value: no control characters, no blank at either end (RFC 9113 section 8.2.1).
    private static func isFieldValue(_ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        guard count > 0 else { return true }
        var foreign: UInt8 = 0
        for index in 0..<count { foreign |= (text[index] < 0x20 ? 1 : 0) | (text[index] == 0x7F ? 1 : 0) }
        return foreign == 0 && text[0] != 0x20 && text[count - 1] != 0x20
    }

    /// Printable ASCII without blanks, as every topic is.
    private static func isVisible(_ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        var foreign: UInt8 = 0
        for index in 0..<count { foreign |= text[index] &- 0x21 < 0x5E ? 0 : 1 }
        return foreign == 0
    }
}
