internal import CNghttp2

/// The library behind this gate.
package enum HTTP2Library {
    /// Its version, as it says itself.
    package static var version: String {
        guard let info = nghttp2_version(0) else { return "unknown" }
        return String(cString: info.pointee.version_str)
    }
}
