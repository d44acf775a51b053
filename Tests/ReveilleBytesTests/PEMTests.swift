import ReveilleBytes
import ReveilleJSON
import Testing

/// One text of a vector file, with the blocks it holds; nil when it must be refused.
private struct PEMVector: CustomTestStringConvertible, Sendable {
    let name: String
    let text: String
    let blocks: [PEMBlock]?

    var testDescription: String { name }

    static func load(_ file: String) throws -> [PEMVector] {
        try #require(VectorFile.load(file).array).map { entry in
            PEMVector(
                name: try #require(entry["name"]?.string), text: try #require(entry["text"]?.string),
                blocks: try entry["blocks"]?.array?.map { block in
                    PEMBlock(
                        label: try #require(block["label"]?.string),
                        bytes: try #require(Hex.decode(block["der"]?.string ?? "?")))
                })
        }
    }
}

@Suite("PEM texts")
struct PEMTests {
    private static let body = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49"

    private func read(_ text: String) -> [PEMBlock]? {
        try? PEM.blocks(in: text)
    }

    @Test("of the shared key forms are read or refused as an independent reader does")
    func keyForms() throws {
        let vectors = try PEMVector.load("pem-forms")
        #expect(vectors.count == 28)
        for vector in vectors { #expect(read(vector.text) == vector.blocks, "\(vector.name)") }
    }

    @Test("of the reported cases are read or refused: one line, no lines, mangled line ends, base64 of the file")
    func reportedCases() throws {
        let vectors = try PEMVector.load("key-file-cases")
        #expect(vectors.count == 21)
        for vector in vectors { #expect(read(vector.text) == vector.blocks, "\(vector.name)") }
    }

    @Test(
        "are refused with the reason and the label",
        arguments: [
            ("", .empty, nil),
            (" \r\n\t", .empty, nil),
            ("\u{FEFF}", .empty, nil),
            ("hello", .noBlock, nil),
            ("SGVsbG8=", .noBlock, nil),
            ("-----BEGIN-----\n\(body)\n-----END-----", .noBlock, nil),
            ("-----BEGIN PRIVATE KEY-----\n\(body)", .missingEnd, "PRIVATE KEY"),
            ("-----BEGIN PRIVATE KEY----\n\(body)\n----END PRIVATE KEY-----", .malformedLabel, nil),
            ("-----BEGIN private key-----\n\(body)\n-----END private key-----", .malformedLabel, nil),
            ("-----BEGIN ", .malformedLabel, nil),
            ("-----BEGIN -----\n\(body)\n-----END -----", .malformedLabel, nil),
            ("-----BEGIN A-----\n\(body)\n-----END B-----", .labelMismatch, "A"),
            ("-----BEGIN A-----\n\(body)\n-----END \n-----", .malformedLabel, "A"),
            ("-----BEGIN A----------END A-----", .emptyBody, "A"),
            ("-----BEGIN A-----\n\\n\n-----END A-----", .emptyBody, "A"),
            ("-----BEGIN A-----\nMIGHA\n-----END A-----", .invalidBase64, "A"),
            ("-----BEGIN A-----\nMI*H\n-----END A-----", .invalidBase64, "A"),
            ("-----BEGIN A-----\nMI_H\n-----END A-----", .invalidBase64, "A"),
            ("-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\n\n\(body)\n-----END A-----", .headersPresent, "A"),
            ("-----BEGIN \(String(repeating: "A", count: 65))-----\n\(body)\n-----END A-----", .malformedLabel, nil),
        ] as [(String, PEMError.Code, String?)])
    func refusals(text: String, code: PEMError.Code, label: String?) {
        #expect(throws: PEMError(code, label: label)) { try PEM.blocks(in: text) }
    }

    @Test("that are too long or hold too many blocks are refused")
    func limits() throws {
        let block = "-----BEGIN A-----\n\(Self.body)\n-----END A-----\n"
        let most = String(repeating: block, count: PEM.maximumBlocks)
        #expect(read(most)?.count == PEM.maximumBlocks)
        #expect(throws: PEMError(.tooManyBlocks)) { try PEM.blocks(in: most + block) }
        let longest = String(repeating: " ", count: PEM.maximumBytes - block.utf8.count) + block
        #expect(read(longest)?.count == 1)
        #expect(throws: PEMError(.tooLong)) { try PEM.blocks(in: longest + " ") }
    }

    @Test("with anything around and between the blocks give the blocks in order")
    func surroundings() throws {
        let text =
            "Subject: x\n-----BEGIN A-----\nAAAA\n-----END A-----\nbetween: y -----\n-----BEGIN B C1-----AAEC-----END B C1-----z"
        #expect(
            read(text) == [PEMBlock(label: "A", bytes: [0, 0, 0]), PEMBlock(label: "B C1", bytes: [0, 1, 2])])
    }

    @Test("are described to the operator by reason and label", arguments: PEMError.Code.allCases)
    func descriptions(code: PEMError.Code) {
        #expect(PEMError(code).description.contains("PEM"))
        switch code {
        case .empty, .tooLong, .noBlock, .tooManyBlocks: break
        case .malformedLabel, .missingEnd, .labelMismatch, .emptyBody, .invalidBase64, .headersPresent:
            #expect(PEMError(code, label: "EC PRIVATE KEY").description.contains("\"EC PRIVATE KEY\""))
        }
    }
}
