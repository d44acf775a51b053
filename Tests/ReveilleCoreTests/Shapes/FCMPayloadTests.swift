import ReportedCases
import ReveilleCore
import ReveilleJSON
import Testing

@Suite("The message for FCM holds opaque ids as strings, and nothing that the system would draw")
struct FCMPayloadTests {
    private static func fields(
        _ shape: Shape, _ mode: WakeMode = .privateAlert, _ reason: WakeReason = .changed, code: String? = nil
    ) throws -> PayloadFields {
        PayloadFields(
            shape: shape, mode: mode, reason: reason, serverDeviceID: try #require(PayloadID("device")),
            deliveryID: reason == .verify ? PayloadID() : try #require(PayloadID("delivery")),
            verificationCode: code.flatMap { PayloadID($0) })
    }

    private static func message(
        _ fields: PayloadFields, _ kind: FCMTarget.Kind = .token, address: String = "cAbC-_09:APA91b",
        life: Int64 = 3_600,
        isDryRun: Bool = false, capacity: Int = 2_048
    ) throws -> JSONValue? {
        var octets = [UInt8](repeating: 0, count: capacity)
        let count = Array(address.utf8).withUnsafeBufferPointer { address in
            octets.withUnsafeMutableBufferPointer {
                FCMPayload.write(fields, to: kind, address: address, lifeSeconds: life, isDryRun: isDryRun, into: $0)
            }
        }
        return try count.map { try JSONReader.parse(Array(octets[..<$0])) }
    }

    private static let wake: JSONValue = [
        "v": "1", "wake": "notifications.changed", "server_device_id": "device", "delivery_id": "delivery",
    ]

    private static let shapes: [(shape: Shape, mode: WakeMode, data: JSONValue)] = [
        (.reveille, .privateAlert, wake), (.reveille, .backgroundWake, wake), (.silo, .privateAlert, wake),
        (
            .siloShipped, .privateAlert,
            ["silo_delivery_id": "delivery", "silo_mode": "private_alert", "server_device_id": "device"]
        ),
        (
            .siloShipped, .backgroundWake,
            ["silo_delivery_id": "delivery", "silo_mode": "background_wake", "server_device_id": "device"]
        ),
        (.mail, .privateAlert, ["id": "delivery", "server_device_id": "device"]),
    ]

    @Test("shape by shape", arguments: shapes.indices)
    func shape(index: Int) throws {
        let row = Self.shapes[index]
        #expect(
            try Self.message(Self.fields(row.shape, row.mode)) == [
                "message": [
                    "token": "cAbC-_09:APA91b", "data": row.data,
                    "android": ["priority": row.mode == .privateAlert ? "HIGH" : "NORMAL", "ttl": "3600s"],
                ]
            ])
    }

    @Test("a verification carries its code in the usual object, whatever the app's shape", arguments: Shape.allCases)
    func verification(shape: Shape) throws {
        let message = try Self.message(Self.fields(shape, .backgroundWake, .verify, code: "c0de"))
        #expect(
            message?["message"]?["data"] == [
                "v": "1", "wake": "device.verify", "server_device_id": "device", "code": "c0de",
            ])
    }

    @Test("an installation id and a dry run are told apart from a token and a message")
    func kinds() throws {
        let message = try #require(
            try Self.message(Self.fields(.reveille), .installation, address: "fid-1", isDryRun: true))
        #expect(message["validate_only"] == true && message["message"]?["fid"] == "fid-1")
        #expect(message["message"]?["token"] == nil)
        #expect(
            try Self.message(Self.fields(.reveille, .backgroundWake, .dismissed))?["message"]?["data"]?["wake"]
                == "notifications.dismissed")
    }

    @Test("no key is one of those that Google keeps for itself", arguments: Shape.allCases)
    func reserved(shape: Shape) throws {
        let file = try JSONReader.parse(ReportedCase.octets("063-fcm-reserved-keys"))
        let reserved =
            try #require(file["expected"]?["refused_or_renamed"]?.array).compactMap(\.string) + ["collapse_key"]
        for reason in WakeReason.allCases {
            let data = try #require(
                try Self.message(Self.fields(shape, .privateAlert, reason, code: "c"))?["message"]?["data"]?.object)
            for member in data.members {
                #expect(
                    !reserved.contains(member.key) && !member.key.hasPrefix("google") && !member.key.hasPrefix("gcm"))
                #expect(member.value.string != nil)
            }
        }
    }

    @Test("a life is written in whole seconds within FCM's bounds")
    func life() throws {
        func written(_ seconds: Int64) throws -> String? {
            try Self.message(Self.fields(.mail), life: seconds)?["message"]?["android"]?["ttl"]?.string
        }
        let file = try JSONReader.parse(ReportedCase.octets("065-fcm-ttl-format"))
        let lives = try #require(file["input"]?["ttl_seconds"]?.array)
        let expected = try #require(file["expected"]?["android.ttl"]?.array)
        for (life, text) in zip(lives, expected) {
            // Lives are whole seconds here, and what is out of bounds is drawn into them.
            guard let seconds = life.integer, seconds >= 0 else { continue }
            let words = try #require(text.string).split(separator: " ")
            #expect(try written(seconds) == words.first.map(String.init))
        }
        #expect(try written(-1) == "0s")
    }

    @Test("tokens travel as they were registered")
    func addresses() throws {
        let file = try JSONReader.parse(ReportedCase.octets("067-fcm-token-characters"))
        for token in try #require(file["input"]?["tokens"]?.array).compactMap(\.string) {
            #expect(try Self.message(Self.fields(.reveille), address: token)?["message"]?["token"]?.string == token)
        }
    }

    @Test("what no token contains is not written", arguments: ["", "a b", "a\"b", "a\\b", "a\nb", "ä"])
    func foreignAddresses(address: String) throws {
        #expect(try Self.message(Self.fields(.reveille), address: address) == nil)
    }

    @Test("what does not fit is not written in part")
    func overflow() throws {
        #expect(try Self.message(Self.fields(.reveille), capacity: 100) == nil)
    }
}
