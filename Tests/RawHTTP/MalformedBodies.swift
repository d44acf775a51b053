/// Rows about where a body ends.
extension MalformedRequest {
    static let contentLengths: [MalformedRequest] = [
        .init(
            "two lengths", post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello!"), 400,
            "content_length_duplicated"),
        .init(
            "the same length twice", post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), 400,
            "content_length_duplicated"),
        .init("a list of lengths", post("Content-Length: 5, 5\r\n", "hello"), 400, "content_length_malformed"),
        .init("a plus sign", post("Content-Length: +5\r\n", "hello"), 400, "content_length_malformed"),
        .init("a negative length", post("Content-Length: -5\r\n", "hello"), 400, "content_length_malformed"),
        .init("minus zero", post("Content-Length: -0\r\n"), 400, "content_length_malformed"),
        .init("a hexadecimal length", post("Content-Length: 0x5\r\n", "hello"), 400, "content_length_malformed"),
        .init("a space inside a length", post("Content-Length: 5 5\r\n", "hello"), 400, "content_length_malformed"),
        .init("letters after a length", post("Content-Length: 5a\r\n", "hello"), 400, "content_length_malformed"),
        .init("an empty length", post("Content-Length:\r\n"), 400, "content_length_malformed"),
        .init("a fraction", post("Content-Length: 5.0\r\n", "hello"), 400, "content_length_malformed"),
        .init("an exponent", post("Content-Length: 1e1\r\n"), 400, "content_length_malformed"),
        .init("leading zeros", post("Content-Length: 005\r\n", "hello"), 400, "content_length_malformed"),
        .init("a quoted length", post("Content-Length: \"5\"\r\n", "hello"), 400, "content_length_malformed"),
        .init(
            "a length in another script's digits", post("Content-Length: \u{D9}\u{A5}\r\n", "hello"), 400,
            "content_length_malformed"),
        .init("a vertical tab in a length", post("Content-Length: \u{B}5\r\n", "hello"), 400, "field_value_malformed"),
        .init(
            "a length that no integer holds", post("Content-Length: 99999999999999999999\r\n"), 413, "body_too_large"),
        .init(
            "a length that wraps around", post("Content-Length: 18446744073709551621\r\n", "hello"), 413,
            "body_too_large"),
        .init("a length beyond the limit", post("Content-Length: 65537\r\n"), 413, "body_too_large"),
        .init(
            "a length beyond the limit, with Expect", post("Expect: 100-continue\r\nContent-Length: 65537\r\n"), 413,
            "body_too_large"),
        .init(
            "a space before the colon of a length", post("Content-Length : 5\r\n", "hello"), 400,
            "whitespace_before_colon"),
        .init("a folded length", post("Content-Length:\r\n 5\r\n", "hello"), 400, "content_length_malformed"),
    ]

    static let transferEncodings: [MalformedRequest] = [
        .init(
            "length, then chunks", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400,
            "content_length_with_transfer_encoding"),
        .init(
            "chunks, then length", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), 400,
            "content_length_with_transfer_encoding"),
        .init(
            "chunks and a length of 0", post("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n", "0\r\n\r\n"), 400,
            "content_length_with_transfer_encoding"),
        .init(
            "chunks in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
            "transfer_encoding_malformed"),
        .init("gzip alone", post("Transfer-Encoding: gzip\r\n"), 400, "transfer_encoding_malformed"),
        .init(
            "gzip, then chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 501,
            "transfer_encoding_unsupported"),
        .init(
            "chunked, then gzip", post("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n"), 400,
            "transfer_encoding_malformed"),
        .init(
            "chunked in a list twice", post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n"), 400,
            "transfer_encoding_malformed"),
        .init(
            "chunked in two fields", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
            400, "transfer_encoding_malformed"),
        .init(
            "chunked, then identity in another field",
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n"), 400,
            "transfer_encoding_malformed"),
        .init("identity", post("Transfer-Encoding: identity\r\n"), 400, "transfer_encoding_malformed"),
        .init(
            "a coding that only ends like chunked", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), 400,
            "transfer_encoding_malformed"),
        .init(
            "chunked with a parameter", post("Transfer-Encoding: chunked;q=1\r\n", "0\r\n\r\n"), 400,
            "transfer_encoding_malformed"),
        .init(
            "chunked in quotation marks", post("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n"), 400,
            "transfer_encoding_malformed"),
        .init("an empty coding", post("Transfer-Encoding:\r\n"), 400, "transfer_encoding_malformed"),
        .init(
            "a comma before chunked", post("Transfer-Encoding: , chunked\r\n", "0\r\n\r\n"), 400,
            "transfer_encoding_malformed"),
        .init(
            "a comma after chunked", post("Transfer-Encoding: chunked,\r\n", "0\r\n\r\n"), 400,
            "transfer_encoding_malformed"),
        .init(
            "a vertical tab before chunked", post("Transfer-Encoding: \u{B}chunked\r\n", "0\r\n\r\n"), 400,
            "field_value_malformed"),
        .init(
            "NUL after chunked", post("Transfer-Encoding: chunked\u{0}\r\n", "0\r\n\r\n"), 400, "field_value_malformed"),
        .init(
            "a byte over 0x7F after chunked", post("Transfer-Encoding: chunked\u{A0}\r\n", "0\r\n\r\n"), 400,
            "transfer_encoding_malformed"),
        .init(
            "a space before the colon of the coding", post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"), 400,
            "whitespace_before_colon"),
        .init("LF before the coding", post("Transfer-Encoding:\n chunked\r\n", "0\r\n\r\n"), 400, "bare_line_feed"),
        .init(
            "the coding's field folded", post("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"), 400,
            "transfer_encoding_malformed"),
        .init(
            "the coding hidden behind LF",
            post("X: y\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), 400, "bare_line_feed"),
        .init(
            "the coding hidden behind CR",
            post("X: y\rTransfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), 400, "field_value_malformed"
        ),
    ]

    static let chunkedBodies: [MalformedRequest] = [
        .init("a chunk size with 0x", chunks("0x5\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("a negative chunk size", chunks("-5\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("a chunk size with a plus sign", chunks("+5\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("a space before a chunk size", chunks(" 5\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("a space after a chunk size", chunks("5 \r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("a tab after a chunk size", chunks("5\t\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("a space before an extension", chunks("5 ;a=b\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("no chunk size", chunks("\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("an extension without a size", chunks(";a=b\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("a letter that is no digit", chunks("g\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init(
            "a chunk size of seventeen digits", chunks("00000000000000005\r\nhello\r\n0\r\n\r\n"), 400,
            "chunk_malformed"),
        .init(
            "a chunk size that wraps around", chunks("ffffffffffffffff\r\nhello\r\n0\r\n\r\n"), 413, "body_too_large"),
        .init("the largest signed chunk size", chunks("7fffffffffffffff\r\nhello\r\n0\r\n\r\n"), 413, "body_too_large"),
        .init("a chunk size of 32 bits and one", chunks("100000005\r\nhello\r\n0\r\n\r\n"), 413, "body_too_large"),
        .init("LF after a chunk size", chunks("5\nhello\r\n0\r\n\r\n"), 400, "bare_line_feed"),
        .init("CR after a chunk size", chunks("5\rhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("CR CR LF after a chunk size", chunks("5\r\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("NUL after a chunk size", chunks("5\u{0}\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("more data than the chunk's size", chunks("5\r\nhello!\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("less data than the chunk's size", chunks("5\r\nhell\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("LF after a chunk's data", chunks("5\r\nhello\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("CR and another byte after a chunk's data", chunks("5\r\nhello\rX0\r\n\r\n"), 400, "chunk_malformed"),
        .init("no line end after a chunk's data", chunks("5\r\nhello0\r\n\r\n"), 400, "chunk_malformed"),
        .init("a semicolon alone", chunks("5;\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init(
            "an extension without its semicolon", chunks("5a=b\r\n" + String(repeating: "x", count: 90)), 400,
            "chunk_malformed"),
        .init("LF in an extension", chunks("5;a\nb\r\nhello\r\n0\r\n\r\n"), 400, "bare_line_feed"),
        .init("CR in an extension", chunks("5;a\rb\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init("NUL in an extension", chunks("5;a\u{0}\r\nhello\r\n0\r\n\r\n"), 400, "chunk_malformed"),
        .init(
            "an extension beyond the limit",
            chunks("5;a=" + String(repeating: "b", count: 300) + "\r\nhello\r\n0\r\n\r\n"), 400,
            "chunk_extension_too_long"),
        .init(
            "extensions beyond the limit together",
            chunks(String(repeating: "1;a=" + String(repeating: "b", count: 200) + "\r\nx\r\n", count: 6)), 400,
            "chunk_extension_too_long"),
        .init(
            "chunks beyond the limit together",
            chunks("8000\r\n" + String(repeating: "x", count: 0x8000) + "\r\n8001\r\n"), 413, "body_too_large"),
    ]

    static let trailers: [MalformedRequest] = [
        .init("a length in the trailers", chunks("0\r\nContent-Length: 5\r\n\r\n"), 400, "trailer_forbidden"),
        .init("a coding in the trailers", chunks("0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400, "trailer_forbidden"),
        .init("a Host in the trailers", chunks("0\r\nHost: b\r\n\r\n"), 400, "trailer_forbidden"),
        .init("credentials in the trailers", chunks("0\r\nauthorization: Bearer x\r\n\r\n"), 400, "trailer_forbidden"),
        .init(
            "an address in the trailers", chunks("0\r\nX-Forwarded-For: 127.0.0.1\r\n\r\n"), 400, "trailer_forbidden"),
        .init("a space before a trailer's colon", chunks("0\r\nX : y\r\n\r\n"), 400, "whitespace_before_colon"),
        .init("a folded trailer", chunks("0\r\nX: y\r\n z\r\n\r\n"), 400, "folded_line"),
        .init("LF after a trailer", chunks("0\r\nX: y\n\r\n"), 400, "bare_line_feed"),
        .init("LF after the last chunk", chunks("0\n\r\n"), 400, "bare_line_feed"),
        .init("LF for the empty line of the trailers", chunks("0\r\n\n"), 400, "bare_line_feed"),
        .init(
            "trailers beyond the limit", chunks("0\r\nX: " + String(repeating: "y", count: 4096) + "\r\n\r\n"), 431,
            "header_too_large"),
        .init(
            "too many trailers", chunks("0\r\n" + String(repeating: "X: y\r\n", count: 65) + "\r\n"), 431,
            "too_many_fields"),
        .init(
            "a request in place of the trailers", chunks("0\r\nGET /admin HTTP/1.1\r\nHost: a\r\n\r\n"), 400,
            "whitespace_before_colon"),
    ]

    /// What follows a request that is served.
    static let sequences: [MalformedRequest] = [
        .init(
            "bytes beyond a body", post("Content-Length: 5\r\n", "hello!GET / HTTP/1.1\r\n\r\n"), 400, "host_missing",
            served: 1),
        .init("a body that GET did not announce", get("") + "hello\r\n\r\n", 400, "request_line_malformed", served: 1),
        .init(
            "HTTP/2's preface after HTTP/1.1", get("") + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "version_unsupported",
            served: 1),
        .init(
            "two empty lines between requests", get("") + "\r\n\r\n" + get(""), 400, "request_line_malformed", served: 1
        ),
        .init(
            "a smuggled request behind a length of 0",
            post("Content-Length: 0\r\n", "0\r\n\r\nGET /admin HTTP/1.1\r\nHost: a\r\n\r\n"), 400,
            "request_line_malformed", served: 1),
        .init(
            "bytes behind the last chunk", chunks("5\r\nhello\r\n0\r\n\r\nX" + "\u{0}"), 400, "request_line_malformed",
            served: 1),
        .init(
            "a bad request behind two good ones", get("") + post("Content-Length: 2\r\n", "ok") + line("GET"), 400,
            "request_line_malformed", served: 2),
        .init(
            "a length that a proxy took from Transfer_Encoding",
            post("Transfer_Encoding: chunked\r\nContent-Length: 4\r\n", "5c\r\nGPOST / HTTP/1.1\r\n\r\n"), 400,
            "host_missing", served: 1),
    ]
}
