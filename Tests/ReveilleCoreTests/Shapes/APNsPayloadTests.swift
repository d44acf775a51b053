import ReveilleBytes
import ReveilleCore
import ReveilleJSON
import Testing

@Suite("APNs payloads")
struct APNsPayloadTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let shape: Shape
        let mode: WakeMode
        let reason: WakeReason
        let text: String

        var testDescription: String { "\(shape.rawValue) \(mode.rawValue) \(reason.rawValue)" }
    }

    static let device = "DEVICE"
    static let delivery = "DELIVERY"

    private static func object(_ name: String, _ wake: String) -> String {
        #""\#(name)":{"v":1,"wake":"\#(wake)","server_device_id":"DEVICE","delivery_id":"DELIVERY"}"#
    }

    static let examples = [
        Example(
            shape: .reveille, mode: .privateAlert, reason: .changed,
            text: #"{"aps":{"alert":{"title-loc-key":"REVEILLE_NOTIFICATION_TITLE","#
                + #""loc-key":"REVEILLE_NOTIFICATION_BODY"},"sound":"default","mutable-content":1},"#
                + object("reveille", "notifications.changed") + "}"),
        Example(
            shape: .reveille, mode: .backgroundWake, reason: .dismissed,
            text: #"{"aps":{"content-available":1},"# + object("reveille", "notifications.dismissed") + "}"),
        Example(
            shape: .silo, mode: .privateAlert, reason: .changed,
            text: #"{"aps":{"alert":{"title-loc-key":"SILO_NOTIFICATION_TITLE","#
                + #""loc-key":"SILO_NOTIFICATION_GENERIC_BODY"},"sound":"default"},"#
                + object("silo", "notifications.changed") + "}"),
        Example(
            shape: .silo, mode: .backgroundWake, reason: .changed,
            text: #"{"aps":{"content-available":1},"# + object("silo", "notifications.changed") + "}"),
        Example(
            shape: .siloShipped, mode: .privateAlert, reason: .changed,
            text: #"{"aps":{"alert":{"title":"Silo","body":"You have a new notification."},"sound":"default","#
                + #""mutable-content":1,"content-available":1},"#
                + #""silo_delivery_id":"DELIVERY","server_device_id":"DEVICE"}"#),
        Example(
            shape: .siloShipped, mode: .backgroundWake, reason: .changed,
            text: #"{"aps":{"content-available":1},"silo_delivery_id":"DELIVERY","server_device_id":"DEVICE"}"#),
        Example(
            shape: .mail, mode: .privateAlert, reason: .changed,
            text: #"{"aps":{"alert":"New mail","sound":"default","mutable-content":1,"category":"MAIL_MESSAGE"},"#
                + #""msgRef":{"id":"DELIVERY","server_device_id":"DEVICE"}}"#),
        Example(
            shape: .mail, mode: .backgroundWake, reason: .changed,
            text: #"{"aps":{"content-available":1},"msgRef":{"id":"DELIVERY","server_device_id":"DEVICE"}}"#),
    ]

    private func fields(
        _ shape: Shape, _ mode: WakeMode, _ reason: WakeReason, device: String = Self.device,
        delivery: String = Self.delivery, badge: Int? = nil, code: String? = nil
    ) throws -> PayloadFields {
        PayloadFields(
            shape: shape, mode: mode, reason: reason, serverDeviceID: try #require(PayloadID(device)),
            deliveryID: try #require(PayloadID(delivery)), badge: badge, verificationCode: code.flatMap(PayloadID.init))
    }

    private func write(_ fields: PayloadFields, capacity: Int = APNsPayload.largestShapeOctets) -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: capacity)
        let count = octets.withUnsafeMutableBufferPointer { APNsPayload.write(fields, into: $0) }
        return count.map { Array(octets.prefix($0)) }
    }

    @Test("each shape is exactly these bytes", arguments: examples)
    func exactBytes(example: Example) throws {
        let written = try #require(write(try fields(example.shape, example.mode, example.reason)))
        #expect(String(decoding: written, as: UTF8.self) == example.text)
    }

    @Test("the examples cover every shape in both modes")
    func complete() {
        for shape in Shape.allCases {
            for mode in WakeMode.allCases {
                #expect(Self.examples.contains { $0.shape == shape && $0.mode == mode })
            }
        }
    }

    @Test(
        "a verification always carries the reveille object and its code", arguments: Shape.allCases, WakeMode.allCases)
    func verification(shape: Shape, mode: WakeMode) throws {
        let written = try #require(write(try fields(shape, mode, .verify, delivery: "", code: "123456")))
        let text = String(decoding: written, as: UTF8.self)
        let object = #","reveille":{"v":1,"wake":"device.verify","server_device_id":"DEVICE","code":"123456"}}"#
        #expect(text.hasSuffix(object))
        #expect(!text.contains("delivery") && !text.contains("msgRef") && !text.contains("\"silo"))
    }

    @Test("aps stands once, holds no id, and only keys of Apple's", arguments: Shape.allCases, WakeMode.allCases)
    func strictJSON(shape: Shape, mode: WakeMode) throws {
        let known: Set = ["alert", "sound", "mutable-content", "category", "content-available", "badge"]
        for reason in WakeReason.allCases {
            // The reader refuses a key that stands twice (case 42).
            let value = try JSONReader.parse(try #require(write(try fields(shape, mode, reason, badge: 3))))
            let aps = try #require(value["aps"]?.object)
            #expect(aps.members.allSatisfy { known.contains($0.key) })
            #expect(!String(decoding: JSONValue.object(aps).encoded(), as: UTF8.self).contains("DEVICE"))
            let visible = aps["alert"] != nil || aps["sound"] != nil || aps["badge"] != nil
            #expect(visible == (mode == .privateAlert))
        }
    }

    @Test("a badge is a number beside the alert, and absent unless given", arguments: [0, 7, Int.max])
    func badge(count: Int) throws {
        let written = try #require(write(try fields(.reveille, .privateAlert, .changed, badge: count)))
        #expect(try JSONReader.parse(written)["aps"]?["badge"]?.integer == Int64(count))
        let without = try #require(write(try fields(.reveille, .privateAlert, .changed)))
        #expect(try JSONReader.parse(without)["aps"]?["badge"] == nil)
    }

    @Test("every payload of this server's ids fits the buffer a connection keeps", arguments: Shape.allCases)
    func largest(shape: Shape) throws {
        let id = String(repeating: "X", count: 26)
        for mode in WakeMode.allCases {
            for reason in WakeReason.allCases {
                let largest = try fields(
                    shape, mode, reason, device: id, delivery: id, badge: .min, code: reason == .verify ? id : nil)
                #expect(write(largest) != nil)
            }
        }
    }

    @Test("ids of another server fit a whole payload of APNs", arguments: Shape.allCases)
    func longestIDs(shape: Shape) throws {
        let id = String(repeating: "X", count: PayloadID.maximumOctets)
        let fields = try fields(shape, .privateAlert, .verify, device: id, delivery: id, badge: .min, code: id)
        #expect(write(fields, capacity: APNsPayload.maximumOctets) != nil)
    }

    @Test("a buffer that is too small yields nothing at any size", arguments: examples)
    func tooSmall(example: Example) throws {
        let fields = try fields(example.shape, example.mode, example.reason)
        let needed = example.text.utf8.count
        for capacity in 0..<needed { #expect(write(fields, capacity: capacity) == nil) }
        #expect(write(fields, capacity: needed) == Array(example.text.utf8))
    }
}
