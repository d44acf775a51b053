import ReveilleHTTP1
import ReveilleHTTP2
import ReveilleHomeAPI
import ReveilleInbox
import ReveilleJSON
import ReveilleNetwork
import ReveilleStorage
import Testing

@Suite struct ErrorCatalogueTests {
    private struct Row: Hashable {
        let code: String
        let status: String
        let meaning: String
        let remedy: String
    }

    private static func documented() throws -> [Row] {
        try Repository.text("docs/errors.md").split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| <a id=") else { return nil }
            let cells = line.split(separator: "|").map { cell in
                String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
            guard cells.count == 4, let open = cells[0].firstIndex(of: "`"), cells[0].hasSuffix("`") else { return nil }
            let code = cells[0][cells[0].index(after: open)...].dropLast()
            guard cells[0] == "<a id=\"\(code)\"></a>`\(code)`" else { return nil }
            return Row(code: String(code), status: cells[1], meaning: cells[2], remedy: cells[3])
        }
    }

    @Test("the catalogue has exactly the codes of the program, with their status, meaning and remedy")
    func catalogue() throws {
        let documented = try Self.documented()
        let coded = ProblemCode.allCases.map {
            Row(
                code: $0.rawValue, status: String($0.status), meaning: $0.title.description,
                remedy: $0.remedy.description)
        }
        #expect(Set(documented) == Set(coded))
        #expect(documented.count == coded.count)
    }

    @Test("each code that a room, a reader or the store may give is in the catalogue")
    func allCodes() {
        let foreign =
            InboxErrorCode.allCases.map(\.rawValue) + JSONFieldError.Code.allCases.map(\.rawValue)
            + JSONError.Code.allCases.map(\.rawValue) + StoreError.Code.allCases.map(\.rawValue)
            + HTTP2RequestFault.allCases.map(\.rawValue)
        for code in foreign {
            #expect(ProblemCode(rawValue: code) != nil, "\(code)")
        }
        for code in StoreError.Code.allCases {
            #expect(InboxErrorCode(code).rawValue == code.rawValue)
        }
    }

    @Test("each error of a request's head or framing is in the catalogue with the status of its answer")
    func protocolCodes() {
        // These two can only be said of a response.
        let ofResponses: Set<HTTP1Error.Code> = [.statusLineMalformed, .unexpectedResponse]
        for code in HTTP1Error.Code.allCases where !ofResponses.contains(code) {
            #expect(ProblemCode(rawValue: code.rawValue)?.status == HTTP1Error(code).status, "\(code)")
        }
        for fault in HTTPServerFault.allCases {
            #expect(ProblemCode(rawValue: fault.rawValue)?.status == fault.status, "\(fault)")
        }
        for fault in HTTP2RequestFault.allCases {
            #expect(ProblemCode(rawValue: fault.rawValue)?.status == fault.status, "\(fault)")
        }
    }

    @Test("trouble of the store that may pass is 503, other trouble is 500", arguments: StoreError.Code.allCases)
    func storeStatus(_ code: StoreError.Code) {
        let problem = Problem(InboxError(StoreError(code)))
        #expect(problem.code.rawValue == code.rawValue)
        if StoreError(code).isTransient {
            #expect(problem.code.status == 503)
            #expect((problem.retryAfterSeconds ?? 0) > 0)
        } else {
            #expect(problem.code.status == 500)
            #expect(problem.retryAfterSeconds == nil)
        }
    }

    @Test("the API description gives each route the statuses that its kind can answer")
    func describedStatuses() throws {
        let text = try Repository.text("docs/openapi.yaml")
        for status in Set(ProblemCode.allCases.map(\.status)).subtracting([404, 405, 408, 414, 417, 431, 505]) {
            #expect(text.contains("\"#/components/responses/Problem\(status)\""), "\(status)")
        }
    }
}
