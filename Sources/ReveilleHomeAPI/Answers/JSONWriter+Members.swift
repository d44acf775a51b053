import ReveilleJSON
import ReveilleRuntime
import ReveilleTelemetry

extension JSONWriter {
    /// Writes a member that is a text.
    mutating func member(_ key: String, _ text: String) {
        self.key(key)
        string(text)
    }

    /// Writes a member that is a text or null.
    mutating func member(_ key: String, _ text: String?) {
        self.key(key)
        if let text { string(text) } else { null() }
    }

    /// Writes a member that is a whole number.
    mutating func member(_ key: String, _ number: Int64) {
        self.key(key)
        integer(number)
    }

    /// Writes a member that is true or false.
    mutating func member(_ key: String, _ truth: Bool) {
        self.key(key)
        boolean(truth)
    }

    /// Writes a member that is a list of texts, or null.
    mutating func member(_ key: String, _ texts: [String]?) {
        self.key(key)
        guard let texts else { return null() }
        beginArray()
        for text in texts { string(text) }
        endArray()
    }

    /// Writes a member that is a time in the form of RFC 3339, or null.
    mutating func member(_ key: String, milliseconds: Int64?) {
        self.key(key)
        guard let milliseconds else { return null() }
        string(CivilTime(WallInstant(milliseconds: milliseconds)).text)
    }
}
