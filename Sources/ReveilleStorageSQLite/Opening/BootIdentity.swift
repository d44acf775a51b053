internal import Glibc

/// Which boot of the machine this is: steady clocks of two boots must not be compared.
enum BootIdentity {
    /// A number for the kernel's boot id, from its first eight octets; 0 where the kernel tells none.
    static func current() -> Int64 {
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "re") else { return 0 }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 64)
        guard fgets(&text, Int32(text.count), file) != nil else { return 0 }
        let digits = text.compactMap { Int64(hexadecimalDigit: UInt8(bitPattern: $0)) }.prefix(15)
        return digits.reduce(0) { $0 << 4 | $1 }
    }
}

extension Int64 {
    fileprivate init?(hexadecimalDigit octet: UInt8) {
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = Int64(octet - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self = Int64(octet - UInt8(ascii: "a") + 10)
        default: return nil
        }
    }
}
