extension JSONFields {
    // MARK: Strings

    /// A string that must be there, not empty, and not longer than `maximumBytes` in UTF-8.
    package mutating func requiredString(
        _ key: String, maximumBytes: Int
    ) throws(JSONFieldError) -> String {
        try string(try requiredValue(key), at: path(of: key), 1...max(maximumBytes, 1))
    }

    /// A string, nil when absent or null.
    ///
    /// It may be empty.
    package mutating func optionalString(
        _ key: String, maximumBytes: Int
    ) throws(JSONFieldError) -> String? {
        guard let value = optionalValue(key) else { return nil }
        return try string(value, at: path(of: key), 0...maximumBytes)
    }

    /// A list of strings, none of them empty, that must be there.
    package mutating func requiredStrings(
        _ key: String, maximumCount: Int, maximumBytes: Int
    ) throws(JSONFieldError) -> [String] {
        let value = try requiredValue(key)
        return try strings(
            value, at: path(of: key), maximumCount: maximumCount, maximumBytes: maximumBytes)
    }

    /// A list of strings, none of them empty; nil when absent or null, which is another thing than an empty list.
    package mutating func optionalStrings(
        _ key: String, maximumCount: Int, maximumBytes: Int
    ) throws(JSONFieldError) -> [String]? {
        guard let value = optionalValue(key) else { return nil }
        return try strings(
            value, at: path(of: key), maximumCount: maximumCount, maximumBytes: maximumBytes)
    }

    // MARK: Numbers and truth values

    /// A whole number of `range` that must be there.
    package mutating func requiredInteger(
        _ key: String, in range: ClosedRange<Int64>
    ) throws(JSONFieldError) -> Int64 {
        try integer(try requiredValue(key), key, in: range)
    }

    /// A whole number of `range`, nil when absent or null.
    package mutating func optionalInteger(
        _ key: String, in range: ClosedRange<Int64>
    ) throws(JSONFieldError) -> Int64? {
        guard let value = optionalValue(key) else { return nil }
        return try integer(value, key, in: range)
    }

    /// True or false, which must be there.
    package mutating func requiredBoolean(_ key: String) throws(JSONFieldError) -> Bool {
        try boolean(try requiredValue(key), key)
    }

    /// True or false, nil when absent or null.
    package mutating func optionalBoolean(_ key: String) throws(JSONFieldError) -> Bool? {
        guard let value = optionalValue(key) else { return nil }
        return try boolean(value, key)
    }

    /// A word of a closed set that must be there.
    package mutating func requiredWord<Word: CaseIterable & RawRepresentable<String>>(
        _ key: String, _ type: Word.Type = Word.self
    ) throws(JSONFieldError) -> Word {
        try word(try requiredValue(key), key)
    }

    /// A word of a closed set, nil when absent or null.
    package mutating func optionalWord<Word: CaseIterable & RawRepresentable<String>>(
        _ key: String, _ type: Word.Type = Word.self
    ) throws(JSONFieldError) -> Word? {
        guard let value = optionalValue(key) else { return nil }
        return try word(value, key)
    }

    /// One of some words of a set; nil when absent or null.
    package mutating func optionalWord<Word: CaseIterable & RawRepresentable<String> & Equatable>(
        _ key: String, among words: [Word]
    ) throws(JSONFieldError) -> Word? {
        guard let value = optionalValue(key) else { return nil }
        guard case .string(let text) = value else { throw error(.wrongType, key, FieldExplanation(oneOf: words)) }
        guard let word = Word(rawValue: text), words.contains(word) else {
            throw error(.invalidValue, key, FieldExplanation(oneOf: words))
        }
        return word
    }

    // MARK: Structure

    /// The fields of an object that must be there.
    package mutating func requiredObject(_ key: String) throws(JSONFieldError) -> JSONFields {
        try JSONFields(try requiredValue(key), at: path(of: key))
    }

    /// The fields of an object, nil when absent or null.
    package mutating func optionalObject(_ key: String) throws(JSONFieldError) -> JSONFields? {
        guard let value = optionalValue(key) else { return nil }
        return try JSONFields(value, at: path(of: key))
    }

    /// The elements of a list, each with its path for errors; nil when absent or null.
    package mutating func optionalArray(
        _ key: String, maximumCount: Int
    ) throws(JSONFieldError) -> [(value: JSONValue, path: String)]? {
        guard let value = optionalValue(key) else { return nil }
        return try elements(value, at: path(of: key), maximumCount: maximumCount)
    }

    /// The elements of a list that must be there, each with its path for errors.
    package mutating func requiredArray(
        _ key: String, maximumCount: Int
    ) throws(JSONFieldError) -> [(value: JSONValue, path: String)] {
        try elements(try requiredValue(key), at: path(of: key), maximumCount: maximumCount)
    }
}

// MARK: - Checks

extension JSONFields {
    private func string(
        _ value: JSONValue, at path: String, _ byteCounts: ClosedRange<Int>
    ) throws(JSONFieldError) -> String {
        guard case .string(let text) = value else {
            throw JSONFieldError(.wrongType, at: path, "must be a string")
        }
        guard text.utf8.count <= byteCounts.upperBound else {
            throw JSONFieldError(.tooLong, at: path, "is too long")
        }
        guard text.utf8.count >= byteCounts.lowerBound else {
            throw JSONFieldError(.tooShort, at: path, "must not be empty")
        }
        return text
    }

    private func strings(
        _ value: JSONValue, at path: String, maximumCount: Int, maximumBytes: Int
    ) throws(JSONFieldError) -> [String] {
        var texts: [String] = []
        for element in try elements(value, at: path, maximumCount: maximumCount) {
            texts.append(try string(element.value, at: element.path, 1...max(maximumBytes, 1)))
        }
        return texts
    }

    private func elements(
        _ value: JSONValue, at path: String, maximumCount: Int
    ) throws(JSONFieldError) -> [(value: JSONValue, path: String)] {
        guard case .array(let elements) = value else {
            throw JSONFieldError(.wrongType, at: path, "must be an array")
        }
        guard elements.count <= maximumCount else {
            throw JSONFieldError(.tooLong, at: path, "has too many elements")
        }
        return elements.enumerated().map { (value: $0.element, path: "\(path)[\($0.offset)]") }
    }

    private func integer(
        _ value: JSONValue, _ key: String, in range: ClosedRange<Int64>
    ) throws(JSONFieldError) -> Int64 {
        switch value {
        case .integer(let number):
            guard range.contains(number) else {
                throw error(.outOfRange, key, "is outside the allowed range")
            }
            return number
        case .number: throw error(.wrongType, key, "must be a whole number")
        case .null, .boolean, .string, .array, .object:
            throw error(.wrongType, key, "must be a number")
        }
    }

    private func boolean(_ value: JSONValue, _ key: String) throws(JSONFieldError) -> Bool {
        guard case .boolean(let truth) = value else {
            throw error(.wrongType, key, "must be true or false")
        }
        return truth
    }

    private func word<Word: CaseIterable & RawRepresentable<String>>(
        _ value: JSONValue, _ key: String
    ) throws(JSONFieldError) -> Word {
        guard case .string(let text) = value else {
            throw error(.wrongType, key, FieldExplanation(oneOf: Word.self))
        }
        guard let word = Word(rawValue: text) else {
            throw error(.invalidValue, key, FieldExplanation(oneOf: Word.self))
        }
        return word
    }
}
