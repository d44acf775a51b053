internal import CNghttp2

/// The library behind this gate.
package enum HTTP2Library {
    /// Its version, as it says itself.
    package static var version: String {
        guard let info = nghttp2_version(0) else { return "unknown" }
        return String(cString: info.pointee.version_str)
    }

    /// The octets of a frame's header (RFC 9113 section 4.1).
    ///
    /// Before a CONTINUATION frame the library counts each piece in which the header arrives as one of the frames that it
    /// limits, so that its limit is this many times ours.
    static let frameHeaderBytes = 9
}
