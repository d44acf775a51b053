/// Searches what left the process for every canary in every form.
package struct Audit: Sendable {
    private let exact: NeedleIndex
    private let folded: NeedleIndex
    /// How many forms of how many canaries are searched for.
    package let needleCount: Int

    /// Prepares the search for canaries.
    package init(_ canaries: [Canary]) {
        let needles = canaries.flatMap(Needle.all(of:))
        exact = NeedleIndex(needles.filter { !$0.ignoresCase }, foldsCase: false)
        folded = NeedleIndex(needles.filter(\.ignoresCase), foldsCase: true)
        needleCount = needles.count
    }

    /// Every occurrence, wanted or not, each field and guise once for a place.
    package func search(_ captured: Captured) -> [Finding] {
        if Self.isCompressed(captured.octets) {
            return [Finding(way: captured.way, place: captured.place, kind: .compressed, view: .asIs)]
        }
        var seen: Set<Finding.Kind> = []
        var findings: [Finding] = []
        for view in View.allCases {
            guard let octets = view.read(captured.octets) else { continue }
            for needle in exact.find(in: octets) + folded.find(in: octets) {
                let kind = Finding.Kind.leak(needle.field, needle.guise)
                guard seen.insert(kind).inserted else { continue }
                findings.append(Finding(way: captured.way, place: captured.place, kind: kind, view: view))
            }
        }
        return findings
    }

    /// Whether octets begin as gzip, zlib or zstd do: nothing that leaves may be compressed.
    package static func isCompressed(_ octets: [UInt8]) -> Bool {
        if octets.starts(with: [0x1F, 0x8B]) || octets.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return true }
        guard octets.count > 2, octets[0] == 0x78 else { return false }
        return octets[1] == 0x01 || octets[1] == 0x9C || octets[1] == 0xDA
    }
}
