import ReveilleBytes
import ReveilleCore
import ReveilleRuntime
import ReveilleStorage
import ReveilleTesting
import Testing

@Suite("Sealing binds a value to its purpose, row and key")
struct SealingTests {
    private static func ring(_ octets: [UInt16: UInt8], generation: UInt16) throws -> KeyRing {
        let masters = octets.mapValues { MasterKey(SecretBytes([UInt8](repeating: $0, count: 32))) }
        return try #require(KeyRing(masters.compactMapValues { $0 }, generation: generation))
    }

    private static func sealer(_ ring: KeyRing, _ clock: ManualClock = ManualClock()) -> Sealer {
        Sealer(keys: LiveKeys(ring), clock: clock, random: SeededRandom(seed: 1))
    }

    @Test("a value opens for its own purpose and row only")
    func binding() throws {
        let sealer = Self.sealer(try Self.ring([1: 1], generation: 1))
        for size in [0, 1, 32, 5_000] {
            let value = [UInt8](repeating: 9, count: size)
            let sealed = sealer.seal(value, .content, row: 5)
            #expect(sealed.count == size + Sealer.overhead)
            #expect(try sealer.open(sealed, .content, row: 5) == value)
            for (purpose, row) in [(KeyPurpose.content, Int64(6)), (.deviceToken, 5), (.secret, 5)] {
                #expect(throws: StoreError(.unreadableValue)) { try sealer.open(sealed, purpose, row: row) }
            }
        }
    }

    @Test("a value that was changed in any octet does not open")
    func tampering() throws {
        let sealer = Self.sealer(try Self.ring([1: 1], generation: 1))
        let sealed = sealer.seal([1, 2, 3], .content, row: 5)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: StoreError(.unreadableValue)) { try sealer.open(changed, .content, row: 5) }
        }
        for count in 0..<sealed.count {
            #expect(throws: StoreError(.unreadableValue)) {
                try sealer.open(Array(sealed.prefix(count)), .content, row: 5)
            }
        }
    }

    @Test("values of other days and former keys open, and are known to be outdated")
    func days() throws {
        let clock = ManualClock()
        let old = Self.sealer(try Self.ring([1: 1], generation: 1), clock)
        let new = Self.sealer(try Self.ring([1: 1, 2: 2], generation: 2), clock)
        var sealed: [[UInt8]] = []
        for _ in 0..<100 {
            sealed.append(old.seal([7], .content, row: 1))
            clock.advance(by: .seconds(86_400))
        }
        #expect(try sealed.allSatisfy { try new.open($0, .content, row: 1) == [7] && new.isOutdated($0) })
        let present = new.seal([7], .content, row: 1)
        #expect(!new.isOutdated(present))
        #expect(throws: StoreError(.unreadableValue)) { try old.open(present, .content, row: 1) }
    }

    @Test("the same value is never sealed the same way twice")
    func nonces() throws {
        let sealer = Self.sealer(try Self.ring([1: 1], generation: 1))
        let sealed = Set((0..<2_000).map { _ in sealer.seal([1], .content, row: 1) })
        #expect(sealed.count == 2_000)
    }

    @Test("the vault writes the digits of a token into given memory, and refuses what does not belong")
    func vault() throws {
        let ring = try Self.ring([1: 1], generation: 1)
        let vault = TokenVault(keys: LiveKeys(ring), clock: ManualClock(), random: SeededRandom(seed: 2))
        for size in [1, 2, 31, 32, 100, 200] {
            let octets = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 37 + size) }
            let device = DeviceRow(Int64(size))
            let sealed = Self.sealer(ring).seal(octets, .deviceToken, row: device.number)
            let target = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 2 * size)
            defer { target.deallocate() }
            #expect(try vault.writeHexadecimal(sealed, device: device, into: target) == 2 * size)
            #expect(String(decoding: target, as: UTF8.self) == Hex.encode(octets))
            #expect(try vault.open(sealed, device: device).octets == octets)
            let short = UnsafeMutableBufferPointer(rebasing: target[..<(2 * size - 1)])
            #expect(throws: StoreError(.unreadableValue)) {
                try vault.writeHexadecimal(sealed, device: device, into: short)
            }
            #expect(throws: StoreError(.unreadableValue)) {
                try vault.writeHexadecimal(sealed, device: DeviceRow(4_711), into: target)
            }
        }
    }

    @Test("a master key tells nothing of itself but its check value")
    func printing() throws {
        let key = try #require(MasterKey(SecretBytes([UInt8](repeating: 0xAB, count: 32))))
        #expect(!"\(key)".contains("ab") && !String(reflecting: key).contains("171"))
        #expect(MasterKey(SecretBytes([1, 2, 3])) == nil)
        #expect(MasterKey.generate().checkValue != MasterKey.generate().checkValue)
        let text = key.text()
        #expect(text.reveal() == String(repeating: "ab", count: 32))
        #expect(MasterKey(text: text)?.checkValue == key.checkValue)
        #expect(MasterKey(text: SecretText("zz")) == nil)
    }
}

@Suite("What clients hold cannot be made or read by them")
struct ClientTokenTests {
    private static func secrets(_ octet: UInt8 = 1) throws -> StoreSecrets {
        let all = Dictionary(
            uniqueKeysWithValues: StoreSecrets.Name.allCases.map {
                ($0, SecretBytes([UInt8](repeating: octet &+ UInt8($0.rawValue), count: StoreSecrets.octets)))
            })
        return try #require(StoreSecrets(all))
    }

    @Test("a cursor comes back, has one length, and opens for nobody else")
    func cursors() throws {
        let seal = try Self.secrets().cursors
        let foreign = try Self.secrets(9).cursors
        var lengths: Set<Int> = []
        for number in [0, 1, 70_000, Int64.max] {
            let cursor = Cursor(profile: ProfileRow(number), epoch: 1, change: number)
            let text = seal.seal(cursor)
            lengths.insert(text.utf8.count)
            #expect(seal.open(text) == cursor)
            #expect(foreign.open(text) == nil)
            for index in text.indices {
                var changed = Array(text.utf8)
                changed[text.utf8.distance(from: text.startIndex, to: index)] = UInt8(ascii: "~")
                #expect(seal.open(String(decoding: changed, as: UTF8.self)) == nil)
            }
        }
        #expect(lengths.count == 1)
        for text in ["", "a", String(repeating: "A", count: 70), String(repeating: "A", count: 10_000)] {
            #expect(seal.open(text) == nil)
        }
    }

    @Test("a display token is the same every time, names its device and generation, and cannot be forged")
    func displayTokens() throws {
        let tokens = try Self.secrets().displayTokens
        let text = tokens.issue(device: DeviceRow(12), generation: 3)
        #expect(text == tokens.issue(device: DeviceRow(12), generation: 3))
        #expect(text.hasPrefix("rvd_") && text != tokens.issue(device: DeviceRow(12), generation: 4))
        let opened = try #require(tokens.open(text))
        #expect(opened.device == DeviceRow(12) && opened.generation == 3)
        #expect(try Self.secrets(9).displayTokens.open(text) == nil)
        let octets = Array(text.utf8)
        for index in octets.indices {
            var changed = octets
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            // The last character has spare bits, which must be zero: any change is refused.
            #expect(tokens.open(String(decoding: changed, as: UTF8.self)) == nil)
        }
        for text in ["", "rvd_", "rvd_AAAA", "rvp_" + text.dropFirst(4)] { #expect(tokens.open(text) == nil) }
    }

    @Test("hashes are keyed: another store gives another hash")
    func hashes() throws {
        let here = try Self.secrets()
        let there = try Self.secrets(9)
        #expect(here.requestHash.hash([1]) == here.requestHash.hash([1]))
        #expect(here.requestHash.hash([1]) != there.requestHash.hash([1]))
        #expect(here.requestHash.hash("x") != here.idempotencyHash.hash("x"))
        #expect(here.requestHash.hash([1]).count == 32)
    }
}
