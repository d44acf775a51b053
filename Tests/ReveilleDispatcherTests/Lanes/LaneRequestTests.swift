import ReportedCases
import ReveilleCore
import ReveilleDispatcher
import ReveilleJSON
import ReveilleStorage
import Testing

@Suite("The request of a wake")
struct LaneRequestTests {
    @Test("it is made of the frozen row alone, so that every try writes the same octets")
    func frozen() throws {
        let rig = LaneRig()
        rig.take([rig.wake(7)])
        let first = try #require(rig.pull())
        try rig.end(7, .unknown(reason: LaneRig.reason))
        try rig.settle(due: { $0.endedAtMilliseconds + 90_000 })
        rig.advance(milliseconds: 90_000)
        // The store hands the same row out again, with another lease.
        try rig.answer(.lease, .leased([rig.wake(7, token: 5, life: 86_400_000 - 90_000, failures: 1)]))
        let second = try #require(rig.pull())
        #expect(first.requestID == second.requestID && first.collapse == second.collapse)
        #expect(first.payload == second.payload && first.token == second.token && first.topic == second.topic)
        #expect(first.expirationSeconds == second.expirationSeconds && first.mode == second.mode)
    }

    @Test("it names the device and the device's own alias of the delivery")
    func ids() throws {
        let rig = LaneRig()
        rig.take([rig.wake(7, device: 5)])
        let request = try #require(rig.pull())
        let device = LaneRig.ids.serverDeviceID(of: DeviceRow(5))
        let delivery = LaneRig.ids.deliveryID(of: DeliveryRow(2_007), for: DeviceRow(5))
        #expect(request.payload.contains("\"server_device_id\":\"\(device)\",\"delivery_id\":\"\(delivery)\""))
        #expect(request.requestID == LaneRig.ids.requestID(of: WakeRow(7)))
        #expect(request.token == "abcd" && request.topic == "org.example" && request.collapse == "C7")
    }

    @Test("the expiration is absolute, in seconds, and always set")
    func expiration() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1, life: 86_400_000), rig.wake(2, life: 1_999)])
        #expect(rig.pull()?.expirationSeconds == rig.now.wall / 1_000 + 86_400)
        #expect(rig.pull()?.expirationSeconds == (rig.now.wall + 1_999) / 1_000)
    }

    @Test("whatever a life was given as, Apple gets absolute seconds (case 40)")
    func expirationCase() throws {
        let file = try JSONReader.parse(ReportedCase.octets("040-expiration-absolute-seconds"))
        let now = try #require(file["input"]?["now"]?.integer)
        let cases = try #require(file["input"]?["cases"]?.array)
        let expected = try #require(file["expected"]?["apns-expiration"]?.array)
        for (index, given) in cases.enumerated() {
            let expiry =
                given["expires_at_ms"]?.integer
                ?? Lifetime.wakeExpiry(
                    alert: .visible, ttlSeconds: given["ttl_s"]?.integer, nowMilliseconds: now * 1_000)
            let rig = LaneRig()
            rig.take([rig.wake(1, life: expiry - now * 1_000)])
            let sent = try #require(rig.pull()).expirationSeconds - rig.now.wall / 1_000 + now
            switch expected[index].string {
            // No producer may ask for less than a minute.
            case "0": #expect(sent == now + Lifetime.producerTTLSeconds.lowerBound)
            // Always set: a wake without a life of its own has a day.
            case "omitted": #expect(sent == now + Lifetime.visibleSeconds)
            case let seconds: #expect(String(sent) == seconds)
            }
        }
    }

    @Test("a silent wake goes in the background without collapse id")
    func silent() throws {
        let rig = LaneRig()
        let visible = rig.wake(1)
        let silent = LeasedWake(
            wake: WakeRow(2), lease: visible.lease, device: visible.device, delivery: visible.delivery,
            sealedToken: visible.sealedToken, standing: .proven, topic: "other", shape: .mail, mode: .backgroundWake,
            reason: .dismissed,
            collapse: nil, expiresAtMilliseconds: visible.expiresAtMilliseconds, failures: 0, verificationCode: nil,
            committedAtMilliseconds: rig.now.steady)
        rig.take([visible, silent])
        _ = rig.pull()
        let request = try #require(rig.pull())
        #expect(request.mode == .backgroundWake && request.collapse == "" && request.topic == "other")
        #expect(request.payload.hasPrefix("{\"aps\":{\"content-available\":1},\"msgRef\""))
    }

    @Test("a verification carries its code and no delivery")
    func verification() throws {
        let rig = LaneRig()
        let plain = rig.wake(1)
        rig.take([
            LeasedWake(
                wake: WakeRow(2), lease: plain.lease, device: plain.device, delivery: nil,
                sealedToken: plain.sealedToken, standing: .proven, topic: plain.topic, shape: .mail,
                mode: .backgroundWake,
                reason: .verify, collapse: nil, expiresAtMilliseconds: plain.expiresAtMilliseconds, failures: 0,
                verificationCode: "424242", committedAtMilliseconds: rig.now.steady)
        ])
        let request = try #require(rig.pull())
        #expect(
            request.payload.contains("\"wake\":\"device.verify\"") && request.payload.contains("\"code\":\"424242\""))
        #expect(!request.payload.contains("delivery_id"))
    }

    @Test("a token that does not open fails its wake and stops no other")
    func unreadable() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1, sealed: [0, 1]), rig.wake(2)])
        #expect(rig.pullAll() == [2])
        let ended = try rig.settle()
        #expect(ended.map(\.wake) == [WakeRow(1)])
        #expect(ended.map(\.outcome) == [.refused(reason: LaneDriver.unreadableToken)])
    }
}
