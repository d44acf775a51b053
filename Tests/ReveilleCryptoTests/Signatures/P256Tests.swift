import ReveilleBytes
import ReveilleCrypto
import ReveilleJSON
import Testing

@Suite("Keys on P-256")
struct P256Tests {
    @Test("a key verifies what it signed and nothing else")
    func signAndVerify() {
        let key = P256PrivateKey.generate()
        let other = P256PrivateKey.generate()
        let message = Array("a message".utf8)
        for _ in 0..<50 {
            let signature = key.sign(message)
            #expect(signature.count == 64)
            #expect(key.publicKey.isValid(signature: signature, for: message))
            #expect(!key.publicKey.isValid(signature: signature, for: message + [0]))
            #expect(!other.publicKey.isValid(signature: signature, for: message))
        }
    }

    @Test("two signatures of one message differ")
    func signaturesAreRandom() {
        let key = P256PrivateKey.generate()
        #expect(key.sign([1]) != key.sign([1]))
        #expect(key.sign([]).count == 64)
    }

    @Test("the deterministic signatures of RFC 6979 verify")
    func deterministicVectors() throws {
        let vectors = Vector(try #require(Vectors.load("jwt")["rfc6979_p256"]))
        let x963 =
            [0x04] + (try vectors.bytes("public_x_hex")) + (try vectors.bytes("public_y_hex"))
        let key = try P256PublicKey(x963: x963)
        let signatures = try #require(vectors.value["signatures"]?.array).map(Vector.init)
        try #require(signatures.count == 2)
        for signature in signatures {
            let raw = (try signature.bytes("r")) + (try signature.bytes("s"))
            #expect(key.isValid(signature: raw, for: Array(try signature.text("msg").utf8)))
        }
        let pair = try P256PrivateKey(rawScalar: SecretBytes(try vectors.bytes("private_hex")))
        #expect(pair.publicKey.x963 == x963)
    }

    @Test("a point that is cut, compressed, hybrid or off the curve is refused")
    func refusedPoints() {
        let point = P256PrivateKey.generate().publicKey.x963
        let compressed = [0x02 | (point[64] & 1)] + point[1..<33]
        var offCurve = point
        offCurve[64] ^= 1
        let hybrid = [0x06 | (point[64] & 1)] + point[1...]
        let zero = [0x04] + [UInt8](repeating: 0, count: 64)
        for refused in [
            Array(point.dropLast()), point + [0], compressed, offCurve, hybrid, zero, [0], [],
        ] {
            #expect(throws: CryptoError.self) { try P256PublicKey(x963: refused) }
        }
    }

    @Test("a scalar is from 1 to n - 1 and has 32 bytes")
    func refusedScalars() throws {
        let order = try #require(
            Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        let zero = [UInt8](repeating: 0, count: 32)
        let most = [UInt8](repeating: 0xFF, count: 32)
        for refused in [zero, order, most, Array(order.dropFirst()), [1] + zero, []] {
            #expect(throws: CryptoError.self) {
                try P256PrivateKey(rawScalar: SecretBytes(refused))
            }
        }
        let highest = order.dropLast() + [0x50]
        let lowest = zero.dropLast() + [1]
        for accepted in [highest, lowest] {
            let key = try P256PrivateKey(rawScalar: SecretBytes(Array(accepted)))
            #expect(key.publicKey.isValid(signature: key.sign([5]), for: [5]))
        }
    }

    @Test("a key cannot be printed in any way")
    func nothingIsPrinted() throws {
        let scalar = [UInt8](repeating: 0x41, count: 32)
        let key = try P256PrivateKey(rawScalar: SecretBytes(scalar))
        var dumped = ""
        dump(key, to: &dumped)
        dump(key.publicKey, to: &dumped)
        for text in [
            "\(key)", String(describing: key), String(reflecting: key), dumped, "\(key.pkcs8PEM)",
        ] {
            #expect(!text.contains("41"), "\(text)")
            #expect(!text.contains("AAAA") && !text.contains("65"))
        }
        let pem = key.pkcs8PEM.reveal()
        #expect(try P256PrivateKey(pem: pem).publicKey == key.publicKey)
    }
}
