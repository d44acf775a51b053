internal import ReveilleBytes

/// One thing to search for: a canary in one form.
package struct Needle: Sendable {
    /// The fewest octets that are searched for; shorter ones would be found by chance.
    static let minimumOctets = 8

    /// How a canary was hidden.
    package enum Guise: Hashable, Sendable, CustomStringConvertible {
        case text(TextForm)
        /// A hash of the text, normalised first, cut to its first eight octets and written so.
        case hash(HashAlgorithm, Normalisation, TextForm)

        package var description: String {
            switch self {
            case .text(let form): form.description
            case .hash(let algorithm, .asIs, let form): "\(algorithm.rawValue), \(form)"
            case .hash(let algorithm, let normalisation, let form):
                "\(algorithm.rawValue) of the \(normalisation.rawValue) text, \(form)"
            }
        }
    }

    /// What may be done to a text before it is hashed.
    package enum Normalisation: String, CaseIterable, Sendable {
        case asIs = "whole"
        case mark = "random part of the"
        case lowercased
        case uppercased
        case withoutBlanks = "blank-free"

        func apply(_ canary: Canary) -> [UInt8] {
            switch self {
            case .asIs: Array(canary.text.utf8)
            case .mark: canary.marks[canary.marks.count - 1]
            case .lowercased: Array(canary.text.lowercased().utf8)
            case .uppercased: Array(canary.text.uppercased().utf8)
            case .withoutBlanks: canary.text.utf8.filter { $0 > 0x20 }
            }
        }
    }

    let octets: [UInt8]
    package let field: PrivateField
    package let guise: Guise
    /// Whether upper and lower case mean the same.
    let ignoresCase: Bool
    /// Whether letters and digits beside it make it something else: for hashes too short to be sure of.
    let standsAlone: Bool

    /// All needles of a canary.
    static func all(of canary: Canary) -> [Needle] {
        var seen: Set<[UInt8]> = []
        var needles: [Needle] = []
        func add(_ octets: [UInt8], _ guise: Guise, ignoresCase: Bool, standsAlone: Bool = false) {
            guard octets.count >= minimumOctets, seen.insert(octets).inserted else { return }
            needles.append(
                Needle(
                    octets: octets, field: canary.field, guise: guise, ignoresCase: ignoresCase,
                    standsAlone: standsAlone))
        }
        for mark in canary.marks {
            for form in TextForm.all { add(form.encode(mark), .text(form), ignoresCase: form.ignoresCase) }
        }
        var hashed: Set<[UInt8]> = []
        for normalisation in Normalisation.allCases {
            let text = normalisation.apply(canary)
            guard hashed.insert(text).inserted else { continue }
            for algorithm in HashAlgorithm.allCases {
                guard let hash = algorithm.hash(text) else { continue }
                for form in TextForm.ofHashes {
                    if algorithm == .crc32, form != .hexadecimal { continue }
                    add(
                        form.encode(Array(hash.prefix(minimumOctets))), .hash(algorithm, normalisation, form),
                        // The octets of a hash have no case; what writes them may.
                        ignoresCase: form.ignoresCase && form != .plain && form != .reversed,
                        standsAlone: algorithm == .crc32)
                }
            }
        }
        return needles
    }
}
