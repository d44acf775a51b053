package import ReveilleJSON

extension Terminal {
    /// Prints a value as one compact line, for machines.
    package func print(json value: JSONValue) {
        print(String(decoding: value.encoded(), as: UTF8.self))
    }
}
