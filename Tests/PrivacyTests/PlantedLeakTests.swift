import PrivacyAudit
import ReveilleBytes
import ReveilleRuntime
import ReveilleTesting
import Testing

/// The audit itself: what is planted must be found, by way, field and form.
@Suite("A planted leak is found")
struct PlantedLeakTests {
    private static let canaries = CanarySet(random: SeededRandom(seed: TestSeed.fixed))
    private static let all = canaries.all
    private static let audit = Audit(all)

    /// Something harmless around what is planted; its length moves base32 and base64 to every position.
    private static func plant(_ octets: [UInt8], on way: WayOut, after count: Int = 7) -> Captured {
        let before = [UInt8](repeating: UInt8(ascii: "."), count: count)
        return Captured(way, "somewhere", before + octets + Array(" and so on".utf8))
    }

    @Test("in every form and as every hash, on every way out", arguments: WayOut.allCases)
    func everyWay(way: WayOut) throws {
        // Each way begins with another field, so that together they plant them all.
        var turn = (WayOut.allCases.firstIndex(of: way) ?? 0) * 3
        func next() -> Canary {
            turn += 1
            return Self.all[turn % Self.all.count]
        }
        for form in TextForm.all { expectText(form, of: next(), on: way) }
        for algorithm in HashAlgorithm.allCases { try expectHash(algorithm, .hexadecimal, of: next(), on: way) }
    }

    @Test("in every form and as every hash, of every field", arguments: PrivateField.allCases)
    func everyField(field: PrivateField) throws {
        let canary = try #require(Self.all.first { $0.field == field })
        for form in TextForm.all { expectText(form, of: canary, on: .log) }
        for algorithm in HashAlgorithm.allCases {
            let forms = algorithm == .crc32 ? [TextForm.hexadecimal] : TextForm.ofHashes
            for form in forms { try expectHash(algorithm, form, of: canary, on: .log) }
        }
    }

    private func expectText(_ form: TextForm, of canary: Canary, on way: WayOut) {
        for mark in canary.marks where !form.encode(mark).isEmpty {
            let found = Self.audit.search(Self.plant(form.encode(mark), on: way))
            let isFound = found.contains { finding in
                guard case .leak(let field, .text(let guise)) = finding.kind else { return false }
                return finding.way == way && field == canary.field && Self.same(guise, form)
            }
            #expect(
                isFound, "\(canary.field.rawValue) on \(way.rawValue): \(form) is missed, \(found.map(\.description))")
        }
    }

    /// Plants the hash whole and cut to eight octets; of the text as it is and, where people read it, of its two cases.
    private func expectHash(
        _ algorithm: HashAlgorithm, _ form: TextForm, of canary: Canary, on way: WayOut
    ) throws {
        var texts = [canary.text]
        if form == .hexadecimal { texts += [canary.text.lowercased(), canary.text.uppercased()] }
        for text in texts {
            let hash = try #require(algorithm.hash(Array(text.utf8)), "\(algorithm.rawValue) is missing")
            var cuts = [Array(hash.prefix(8))]
            if form == .hexadecimal { cuts.append(hash) }
            for octets in cuts {
                let found = Self.audit.search(Self.plant(form.encode(octets) + [0x2E], on: way))
                let isFound = found.contains { finding in
                    guard case .leak(let field, .hash(let by, _, _)) = finding.kind else { return false }
                    return finding.way == way && field == canary.field && by == algorithm
                }
                #expect(isFound, "\(canary.field.rawValue) on \(way.rawValue): \(algorithm.rawValue), \(form)")
            }
        }
    }

    /// A text without `-` and `_` is the same in both alphabets of base64, and the hexadecimal form of a token is what clients
    /// send: such a text is named after the first.
    private static func same(_ found: TextForm, _ planted: TextForm) -> Bool {
        if planted == .hexadecimal, found == .plain { return true }
        if case .base64URL(let position) = planted { return found == planted || found == .base64(position) }
        return found == planted
    }

    @Test("at every position of longer texts in base32, base64 and base64url", arguments: 0..<15)
    func insideEncodedText(position: Int) throws {
        let canary = try #require(Self.all.first { $0.field == .title })
        let text = [UInt8](repeating: 0x21, count: position) + canary.marks[0] + Array("!?".utf8)
        for encoded in [Base64.encode(text), Base64URL.encode(text), Base32.encode(text)] {
            let found = Self.audit.search(Captured(.log, "line", Array(encoded.utf8)))
            #expect(found.contains { $0.description.contains("title leaks through log lines") }, "\(encoded)")
        }
    }

    /// What encoders outside make of a text.
    static let encoders: [(name: String, view: View, encode: @Sendable ([UInt8]) -> String)] = [
        ("upper case", .asIs, { String(decoding: $0, as: UTF8.self).uppercased() }),
        ("lower case", .asIs, { String(decoding: $0, as: UTF8.self).lowercased() }),
        ("upper-case hexadecimal", .asIs, { Hex.encode($0).uppercased() }),
        ("percent", .percentDecoded, { $0.map { "%" + Hex.encode([$0]).uppercased() }.joined() }),
        (
            "percent, every other", .percentDecoded,
            { octets in
                octets.enumerated().map {
                    $0.offset % 2 == 0 ? "%" + Hex.encode([$0.element]) : String(decoding: [$0.element], as: UTF8.self)
                }.joined()
            }
        ),
        ("JSON escapes", .unescaped, { $0.map { "\\u00" + Hex.encode([$0]) }.joined() }),
        ("Swift escapes", .unescaped, { $0.map { "\\u{" + Hex.encode([$0]) + "}" }.joined() }),
        ("C escapes", .unescaped, { $0.map { "\\x" + Hex.encode([$0]) }.joined() }),
        (
            "octal escapes", .unescaped,
            { $0.map { "\\" + String($0 >> 6) + String($0 >> 3 & 7) + String($0 & 7) }.joined() }
        ),
        ("quoted-printable", .quotedPrintable, { $0.map { "=" + Hex.encode([$0]).uppercased() }.joined() }),
        (
            "soft line break", .quotedPrintable,
            {
                String(decoding: $0.prefix(5), as: UTF8.self) + "=\r\n"
                    + String(decoding: $0.dropFirst(5), as: UTF8.self)
            }
        ),
        ("character references", .entities, { $0.map { "&#\($0);" }.joined() }),
        ("hexadecimal references", .entities, { $0.map { "&#x\(Hex.encode([$0]));" }.joined() }),
        (
            "lines of base64", .joined,
            {
                Base64.encode($0).enumerated().map { $0.offset % 7 == 6 ? "\($0.element)\r\n" : "\($0.element)" }
                    .joined()
            }
        ),
        ("hexadecimal with colons", .joined, { $0.map { Hex.encode([$0]) }.joined(separator: ":") }),
    ]

    @Test("behind every encoder, of every field, on every way out", arguments: encoders.indices)
    func everyEncoder(index: Int) throws {
        let (name, view, encode) = Self.encoders[index]
        for (number, canary) in Self.all.enumerated() {
            // Three fields or more on each way.
            let way = WayOut.allCases[(number + index) % WayOut.allCases.count]
            let found = Self.audit.search(Self.plant(Array(encode(canary.marks[0]).utf8), on: way))
            let isFound = found.contains { finding in
                guard case .leak(let field, _) = finding.kind else { return false }
                return finding.way == way && field == canary.field && finding.view == view
            }
            #expect(isFound, "\(canary.field.rawValue) on \(way.rawValue): \(name)")
        }
    }

    @Test("split over two captures of one place")
    func split() throws {
        let canary = try #require(Self.all.first { $0.field == .body })
        let ledger = CaptureLedger()
        ledger.note(.apnsOctets, "connection", Array(canary.marks[0].prefix(5)))
        ledger.note(.log, "logfmt", "something else")
        ledger.note(.apnsOctets, "connection", Array(canary.marks[0].dropFirst(5)))
        let found = ledger.joined.flatMap(Self.audit.search)
        #expect(found.map(\.way) == [.apnsOctets])
    }

    @Test(
        "in compressed octets, which nobody can search and which therefore may not leave",
        arguments: [[0x1F, 0x8B, 8, 0], [0x78, 0x9C, 1, 2], [0x28, 0xB5, 0x2F, 0xFD, 1]] as [[UInt8]])
    func compressed(octets: [UInt8]) {
        #expect(Self.audit.search(Captured(.apnsRequests, "body", octets)).map(\.kind) == [.compressed])
    }

    @Test("where another field would be allowed, and as a hash where its text would be")
    func allowances() throws {
        let token = try #require(Self.all.first { $0.field == .token })
        let title = try #require(Self.all.first { $0.field == .title })
        func leaks(_ place: String, _ text: String) -> [Finding] {
            Allowance.leaks(among: Self.audit.search(Captured(.apnsRequests, place, Array(text.utf8))))
        }
        #expect(leaks(":path", "/3/device/\(token.text)").isEmpty)
        #expect(leaks(":path", "/3/device/\(token.text)/\(title.text)").map(\.way) == [.apnsRequests])
        #expect(!leaks("apns-collapse-id", token.text).isEmpty)
        let hash = try #require(HashAlgorithm.sha256.hash(Array(token.text.utf8)))
        #expect(!leaks(":path", Hex.encode(hash)).isEmpty)
    }

    @Test("and nothing is found where nothing is, however much is searched")
    func silence() {
        let random = SeededRandom(seed: TestSeed.fresh)
        let noise = random.bytes(200_000)
        for text in [noise, Array(Hex.encode(noise).utf8), Array(Base64.encode(noise).utf8)] {
            #expect(Self.audit.search(Captured(.files, "noise", text)).isEmpty, TestSeed.comment(TestSeed.fresh))
        }
    }
}
