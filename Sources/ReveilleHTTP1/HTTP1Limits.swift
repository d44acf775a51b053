/// The largest message a reader accepts.
///
/// Sizes are in bytes.
package struct HTTP1Limits: Sendable, Equatable {
    /// The start line with its line end.
    ///
    /// RFC 9112 section 3 asks for at least 8 000.
    package var maximumStartLineBytes: Int
    /// All field lines together.
    ///
    /// Credentials and a proxy's own fields fit well in 16 KiB.
    package var maximumHeaderBytes: Int
    /// Field lines in one section.
    ///
    /// A browser behind two proxies sends about 30.
    package var maximumFields: Int
    /// The body after its framing is taken off.
    package var maximumBodyBytes: Int
    /// One chunk's size line.
    ///
    /// Sizes have at most 16 digits; the rest is room for an extension.
    package var maximumChunkLineBytes: Int
    /// All chunk extensions of a message.
    ///
    /// They mean nothing to this reader, so a sender has little reason to use them.
    package var maximumChunkExtensionBytes: Int
    /// All trailer lines of a message.
    ///
    /// They are checked and then given to the caller, who has no need of large ones.
    package var maximumTrailerBytes: Int

    /// Sets each limit; what is not given has the value that suits a JSON API.
    package init(
        maximumStartLineBytes: Int = 8192,
        maximumHeaderBytes: Int = 16 * 1024,
        maximumFields: Int = 64,
        maximumBodyBytes: Int = 64 * 1024,
        maximumChunkLineBytes: Int = 256,
        maximumChunkExtensionBytes: Int = 1024,
        maximumTrailerBytes: Int = 4096
    ) {
        self.maximumStartLineBytes = maximumStartLineBytes
        self.maximumHeaderBytes = maximumHeaderBytes
        self.maximumFields = maximumFields
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumChunkLineBytes = maximumChunkLineBytes
        self.maximumChunkExtensionBytes = maximumChunkExtensionBytes
        self.maximumTrailerBytes = maximumTrailerBytes
    }
}
