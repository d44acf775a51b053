internal import ReveilleCrypto
internal import ReveilleHTTP2
internal import ReveilleSQLite

/// The version of the program and of the libraries it runs on.
enum Versions {
    static var text: String {
        "reveille \(Program.version) (nghttp2 \(HTTP2Library.version), \(CryptoLibrary.version), SQLite \(SQLiteLibrary.version))"
    }
}
