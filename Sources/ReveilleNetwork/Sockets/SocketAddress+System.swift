internal import CLinux
internal import Glibc
internal import ReveilleRuntime

extension SocketAddress {
    /// Reads an address that the kernel or the resolver gave; nil for other families.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let value = raw.loadUnaligned(as: sockaddr_in.self)
            let octets = withUnsafeBytes(of: value.sin_addr) { Array($0) }
            self.init(octets: octets, port: UInt16(bigEndian: value.sin_port))
        case AF_INET6:
            let value = raw.loadUnaligned(as: sockaddr_in6.self)
            let octets = withUnsafeBytes(of: value.sin6_addr) { Array($0) }
            self.init(
                octets: octets, port: UInt16(bigEndian: value.sin6_port),
                scope: value.sin6_scope_id)
        default: return nil
        }
    }

    /// Lends the address in the kernel's form.
    func withSystemAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        switch family {
        case .ipv4:
            var value = sockaddr_in()
            value.sin_family = sa_family_t(AF_INET)
            value.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &value.sin_addr) { $0.copyBytes(from: octets) }
            return Self.lend(&value, body)
        case .ipv6:
            var value = sockaddr_in6()
            value.sin6_family = sa_family_t(AF_INET6)
            value.sin6_port = port.bigEndian
            value.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &value.sin6_addr) { $0.copyBytes(from: octets) }
            return Self.lend(&value, body)
        }
    }

    /// The kind of socket that this address needs.
    var systemFamily: Int32 {
        switch family {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        }
    }

    /// The address that a socket is bound to.
    static func local(of descriptor: Int32) throws(SystemError) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        try SystemError.check(
            reveille_linux_local_address(descriptor, &storage, &length), "getsockname")
        guard let address = Self.address(in: &storage) else {
            throw SystemError("getsockname", number: EAFNOSUPPORT)
        }
        return address
    }

    /// The address that a socket is connected to.
    static func remote(of descriptor: Int32) throws(SystemError) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        try SystemError.check(reveille_linux_peer_address(descriptor, &storage, &length), "getpeername")
        guard let address = Self.address(in: &storage) else {
            throw SystemError("getpeername", number: EAFNOSUPPORT)
        }
        return address
    }

    /// Reads the address that a system call stored.
    static func address(in storage: inout sockaddr_storage) -> SocketAddress? {
        withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketAddress($0) }
        }
    }

    private static func lend<Address, Result>(
        _ value: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &value) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
