import ReveilleJSON

extension JSONValue {
    /// The same value with the members of every object in the order of their keys' octets; nil when it has
    /// more than `levels` levels.
    func sorted(levels: Int) -> JSONValue? {
        switch self {
        case .null, .boolean, .integer, .number, .string: return self
        case .array(let elements):
            guard levels > 0 else { return nil }
            var sorted: [JSONValue] = []
            sorted.reserveCapacity(elements.count)
            for element in elements {
                guard let element = element.sorted(levels: levels - 1) else { return nil }
                sorted.append(element)
            }
            return .array(sorted)
        case .object(let object):
            guard levels > 0 else { return nil }
            var members: [JSONObject.Member] = []
            members.reserveCapacity(object.count)
            for member in object.members {
                guard let value = member.value.sorted(levels: levels - 1) else { return nil }
                members.append((key: member.key, value: value))
            }
            members.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            return .object(JSONObject(members: members))
        }
    }
}
