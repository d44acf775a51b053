import ReveilleBytes
import ReveilleCore

/// A try that a test hands to a sender.
struct TestTry: Sendable {
    static let topic = Topic("org.example.mail")

    var tag: UInt64
    var token: String
    var requestID: String
    var collapseID: String
    var payload: [UInt8] = Array("{\"aps\":{\"alert\":{\"loc-key\":\"A\"}}}".utf8)
    var expirationSeconds: Int64 = 1_900_000_000
    var mode = WakeMode.privateAlert
    var topic = TestTry.topic
    var standing = TokenStanding.proven
    var leaseUntilMilliseconds = Int64.max

    /// The try with a number; token, id and collapse id follow from it.
    init(_ number: Int) {
        tag = UInt64(number)
        let octets = (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * min($0, 7))) ^ UInt8($0) }
        token = Hex.encode(octets + octets)
        requestID = UUIDText.encode(octets)
        collapseID = "COLLAPSE\(number)"
    }

    static func many(_ count: Int, from first: Int = 1, _ standing: TokenStanding = .proven) -> [TestTry] {
        (first..<(first + count)).map { number in
            var made = TestTry(number)
            made.standing = standing
            return made
        }
    }

    /// One whose token APNs has not accepted yet.
    static func unproven(_ number: Int) -> [TestTry] { many(1, from: number, .unproven) }

    func write(into buffer: TryBuffer) {
        for (index, octet) in token.utf8.enumerated() { buffer.address[index] = octet }
        buffer.addressCount = token.utf8.count
        for (index, octet) in requestID.utf8.prefix(36).enumerated() { buffer.requestID[index] = octet }
        let collapse = Array(collapseID.utf8)
        for (index, octet) in collapse.prefix(64).enumerated() { buffer.collapse[index] = octet }
        buffer.collapseCount = collapse.count
        buffer.reservePayload(octets: payload.count)
        _ = buffer.payload.update(from: payload)
        buffer.payloadCount = payload.count
        buffer.expirationSeconds = expirationSeconds
        buffer.mode = mode
        buffer.topic = topic
        buffer.tag = tag
        buffer.leaseUntilMilliseconds = leaseUntilMilliseconds
    }
}

/// How a try ended.
struct EndedTry: Sendable {
    let tag: UInt64
    let result: TryResult

    var outcome: ReveilleCore.Outcome { result.outcome }
}
