/// Rules for what an owner may write on a device.
enum DeviceRule {
    /// Holds the rules of a name.
    static func check(name: Wish<String>) throws(InboxError) {
        guard case .value(let text) = name else { return }
        try FieldRule.length(text, DeviceLimits.name, "name")
        try FieldRule.line(text, "name")
    }

    /// Holds the rules of a choice of categories.
    static func check(categories: Wish<[String]>) throws(InboxError) {
        guard case .value(let names) = categories else { return }
        guard names.count <= DeviceLimits.categories else {
            throw .invalid("categories", "must not have more than 64 elements")
        }
        for name in names {
            try FieldRule.length(name, DeviceLimits.category, "categories")
            try FieldRule.line(name, "categories")
        }
        try FieldRule.unique(names, "categories")
    }

    /// Holds the form of a locale: letters, digits, hyphens and the underscores that Apple's systems print.
    static func check(locale: String) throws(InboxError) {
        let isPlain = locale.utf8.allSatisfy { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "@"), UInt8(ascii: "="), UInt8(ascii: ";"):
                true
            default: false
            }
        }
        guard isPlain, !locale.isEmpty else {
            throw .invalid("locale", "must be a locale such as de-CH or en_US")
        }
    }
}
