internal import COpenSSL

/// The state with which a later connection can be shortened: OpenSSL's `SSL_SESSION`, owned.
///
/// The pointer is `nonisolated(unsafe)` because OpenSSL counts references atomically and does not
/// change a session that has been handed out.
final class ResumableSession: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Takes over one reference.
    init(adopting pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit { SSL_SESSION_free(pointer) }

    /// Whether the session may be used for one connection only, as TLS 1.3 tickets should (RFC 8446
    /// appendix C.4).
    var isForOneUse: Bool { SSL_SESSION_get_protocol_version(pointer) >= TLS1_3_VERSION }
}
