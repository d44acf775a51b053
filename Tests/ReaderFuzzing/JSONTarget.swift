import ReveilleJSON

extension FuzzTarget {
    /// The JSON reader.
    ///
    /// The input is the text.
    static let json = FuzzTarget(
        name: "json",
        seeds: [
            #"{"a":[1,-2.5e3,true,null,"x"],"é\u00e9\ud83d\ude00":{"b":"c\n😀","":[[]]},"n":9223372036854775807}"#,
            #"[0,-0,0.1,1e-5,1E+2,-9223372036854775808,9223372036854775808,1.7976931348623157e308]"#,
            #"" \" \\ \/ \b \f \n \r \t \u0000 ""#, "  null  ", "[[[[[[[[]]]]]]]]", #"{"k":1,"k":2}"#,
        ].map { [UInt8]($0.utf8) },
        words: [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "-", ".", "e", "E+", "\\u", "\\ud83d", "\\ude00", "\\u0000",
            "null",
            "true", "false", "\"k\":", "1e308", "1e309", "5e-324", "9223372036854775808", "\u{FEFF}", "\u{0}",
        ].map { [UInt8]($0.utf8) } + [[0x80], [0xC3], [0xFF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]],
        check: JSONProperties.check)
}

/// What must hold for every text that may be JSON.
enum JSONProperties {
    private static let smallLimits = JSONLimits(maximumBytes: 64, maximumDepth: 3, maximumElements: 8)
    private static let limitCodes: Set<JSONError.Code> = [.tooLong, .tooDeep, .tooManyElements]

    @Sendable static func check(_ bytes: [UInt8]) throws(BrokenProperty) -> FuzzTarget.Verdict {
        let small = read(bytes, smallLimits)
        switch read(bytes, .default) {
        case .failure(let error):
            try demand((0...bytes.count).contains(error.offset), "an error lies inside the text")
            guard case .failure = small else { throw BrokenProperty("smaller limits accept no more") }
            return .refused(error.code.rawValue)
        case .success(let value):
            switch small {
            case .success(let other):
                try demand(other == value, "limits do not change a value")
                try demand(bytes.count <= 64 && depth(value) <= 3 && elements(value) <= 8, "limits are kept")
            case .failure(let error):
                try demand(limitCodes.contains(error.code), "only a limit refuses what is well-formed")
            }
            try demand(depth(value) <= JSONLimits.default.maximumDepth, "the depth keeps its limit")
            try survivesWriting(value)
            return .accepted
        }
    }

    private static func survivesWriting(_ value: JSONValue) throws(BrokenProperty) {
        let written = value.encoded()
        guard case .success(let again) = read(written, .default) else {
            throw BrokenProperty("what is written can be read")
        }
        try demand(again == value, "a value survives writing")
        try demand(again.encoded() == written, "the same value is written the same way")
    }

    private static func read(_ bytes: [UInt8], _ limits: JSONLimits) -> Result<JSONValue, JSONError> {
        Result { () throws(JSONError) in try JSONReader.parse(bytes, limits: limits) }
    }

    private static func depth(_ value: JSONValue) -> Int {
        switch value {
        case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
        case .object(let object): 1 + (object.members.map { depth($0.value) }.max() ?? 0)
        case .null, .boolean, .integer, .number, .string: 0
        }
    }

    private static func elements(_ value: JSONValue) -> Int {
        switch value {
        case .array(let list): 1 + list.map(elements).reduce(0, +)
        case .object(let object): 1 + object.members.map { elements($0.value) }.reduce(0, +)
        case .null, .boolean, .integer, .number, .string: 1
        }
    }
}
