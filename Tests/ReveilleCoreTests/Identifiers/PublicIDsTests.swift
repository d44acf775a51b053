import ReveilleBytes
import ReveilleCore
import Testing

/// A permutation that a reader can follow: octets reversed and masked.
///
/// Not a cipher.
struct MirrorPermutation: BlockPermutation {
    func encrypt(_ block: UnsafeMutablePointer<UInt8>) { mirror(block) }
    func decrypt(_ block: UnsafeMutablePointer<UInt8>) { mirror(block) }

    private func mirror(_ block: UnsafeMutablePointer<UInt8>) {
        for index in 0..<8 {
            let low = block[index] ^ 0xA5
            block[index] = block[15 - index] ^ 0xA5
            block[15 - index] = low
        }
    }
}

@Suite("Public ids")
struct PublicIDsTests {
    private let ids = PublicIDs(permutation: MirrorPermutation())

    @Test("the block holds kind, device and row, in that order and big-endian")
    func layout() {
        var octets = ids.octets(.delivery, device: DeviceRow(0x0102_0304_0506_07), row: 0x1112_1314_1516_1718)
        octets.withUnsafeMutableBufferPointer { MirrorPermutation().decrypt($0.baseAddress!) }
        #expect(Hex.encode(octets) == "02010203040506071112131415161718")
    }

    @Test(
        "an id leads back to its row, for its own kind and device only",
        arguments: PublicIDKind.allCases, [Int64(0), 1, 77, .max])
    func roundTrip(kind: PublicIDKind, row: Int64) {
        let device = DeviceRow(1 << 55)
        let text = ids.text(kind, device: device, row: row)
        #expect(text.utf8.count == 26)
        #expect(ids.row(kind, device: device, text: text) == row)
        #expect(ids.row(kind, text: text) == nil)
        #expect(ids.row(kind, device: DeviceRow(5), text: text) == nil)
        for other in PublicIDKind.allCases where other != kind {
            #expect(ids.row(other, device: device, text: text) == nil)
        }
        #expect(ids.row(kind, uuid: ids.uuid(kind, row: row)) == row)
    }

    @Test("two devices know one delivery by different ids")
    func aliases() {
        let delivery = DeliveryRow(9)
        let texts = [nil, DeviceRow(1), DeviceRow(2)].map { ids.deliveryID(of: delivery, for: $0) }
        #expect(Set(texts).count == 3)
        #expect(ids.delivery(id: texts[1], for: DeviceRow(1)) == delivery)
        #expect(ids.delivery(id: texts[1], for: DeviceRow(2)) == nil)
        #expect(ids.delivery(id: texts[1], for: nil) == nil)
        #expect(ids.delivery(id: texts[0], for: nil) == delivery)
    }

    @Test(
        "a text that is no id is refused",
        arguments: ["", "A", String(repeating: "A", count: 25), String(repeating: "A", count: 27), "0189", "é"])
    func malformed(text: String) {
        #expect(ids.row(.delivery, text: text) == nil)
        #expect(ids.row(.wake, uuid: text) == nil)
    }

    @Test("the forms without allocation say the same as the texts")
    func wireForms() throws {
        let device = DeviceRow(41)
        let delivery = DeliveryRow(42)
        let wake = WakeRow(43)
        #expect(ids.payloadServerDeviceID(of: device).text == ids.serverDeviceID(of: device))
        #expect(ids.payloadDeliveryID(of: delivery, for: device).text == ids.deliveryID(of: delivery, for: device))
        var request = [UInt8](repeating: 0, count: 36)
        request.withUnsafeMutableBufferPointer { ids.writeRequestID(of: wake, into: $0.baseAddress!) }
        #expect(String(decoding: request, as: UTF8.self) == ids.requestID(of: wake))
        #expect(ids.device(serverDeviceID: ids.serverDeviceID(of: device)) == device)
        #expect(ids.wake(requestID: ids.requestID(of: wake)) == wake)
    }

    @Test("a device's row beyond 56 bits is a programmer's error")
    func deviceRowsAreBounded() async {
        await #expect(processExitsWith: .failure) {
            _ = PublicIDs(permutation: MirrorPermutation()).octets(.delivery, device: DeviceRow(1 << 56), row: 1)
        }
    }
}

@Suite("Base32")
struct Base32Tests {
    @Test(
        "the vectors of RFC 4648 section 10, both ways and into a buffer",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ])
    func vectors(plain: String, text: String) {
        #expect(Base32.encode(Array(plain.utf8)) == text)
        #expect(Base32.decode(text) == Array(plain.utf8))
        #expect(Base32.decode(text.lowercased()) == Array(plain.utf8))
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = Array(plain.utf8).withUnsafeBytes { source in
            buffer.withUnsafeMutableBufferPointer { Base32.encode(source, into: $0.baseAddress!) }
        }
        #expect(String(decoding: buffer.prefix(count), as: UTF8.self) == text)
    }

    @Test(
        "what no encoder writes is refused",
        arguments: ["A", "AAA", "AAAAAA", "MZ", "MZXR", "MY======", "M Y", "M1", "M8", "MY\n", "ÄÄ", "MZXW6Y"])
    func malformed(text: String) {
        #expect(Base32.decode(text) == nil)
    }
}
