import ReveilleTLS
import ReveilleWebPush

/// TLS for senders that are never used.
enum ScriptedTLS {
    static func context() throws -> TLSContext { try TLSContext(client: PushSenderConfiguration.tlsConfiguration()) }
}
