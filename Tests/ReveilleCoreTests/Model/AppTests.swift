import ReveilleCore
import Testing

@Suite("Apps and categories")
struct AppTests {
    @Test(
        "a visible notification alerts phones, and Macs as app and shape say",
        arguments: [
            (Shape.reveille, nil, WakeMode.privateAlert), (.silo, nil, .privateAlert),
            (.siloShipped, nil, .privateAlert),
            (.mail, nil, .backgroundWake), (.reveille, .backgroundWake, .backgroundWake),
            (.silo, .backgroundWake, .backgroundWake), (.mail, .privateAlert, .backgroundWake),
        ] as [(Shape, WakeMode?, WakeMode)])
    func macs(shape: Shape, chosen: WakeMode?, expected: WakeMode) {
        let app = App(identifier: "org.example", topics: ["org.example"], shape: shape, macWakeMode: chosen)
        #expect(app.wakeMode(alert: .visible, os: .macOS) == expected)
        #expect(app.wakeMode(alert: .visible, os: .tvOS) == .backgroundWake)
        for os in [DeviceOS.iOS, .iPadOS, .watchOS, .visionOS] {
            #expect(app.wakeMode(alert: .visible, os: os) == .privateAlert)
        }
        for os in DeviceOS.allCases {
            #expect(app.wakeMode(alert: .silent, os: os) == (os == .browser ? nil : .backgroundWake))
        }
        for os in [DeviceOS.android, .linux, .browser] {
            #expect(app.wakeMode(alert: .visible, os: os) == .privateAlert)
        }
    }

    @Test("a topic belongs to the first app that names it")
    func registry() {
        let first = App(identifier: "a", topics: ["a", "shared"], shape: .reveille)
        let second = App(identifier: "b", topics: ["b", "shared"], shape: .mail)
        let registry = AppRegistry([first, second])
        #expect(registry.app(topic: "shared") == first)
        #expect(registry.app(topic: "b") == second)
        #expect(registry.app(topic: "c") == nil)
        #expect(registry.app(identifier: "b") == second)
        #expect(registry.app(identifier: "shared") == nil)
    }

    @Test(
        "only a listed category alerts; a producer may silence and never escalate",
        arguments: [
            ("mail", nil, Alert.visible), ("mail", .silent, .silent), ("mail", .visible, .visible),
            ("badge", nil, .silent),
            ("badge", .visible, .silent), ("unlisted", nil, .silent), ("unlisted", .visible, .silent),
        ] as [(String, Alert?, Alert)])
    func categories(name: String, requested: Alert?, expected: Alert) {
        let registry = CategoryRegistry([
            Category(name: "mail", alert: .silent), Category(name: "badge", alert: .silent),
            Category(name: "mail", alert: .visible),
        ])
        #expect(registry.alert(category: name, requested: requested) == expected)
        #expect(registry.contains(name) == (name != "unlisted"))
    }

    @Test("topics, apps and categories are found by their octets, not by what Unicode calls equal")
    func exactNames() {
        let app = App(identifier: "org.example.Kiosk", topics: ["org.example.Kiosk"], shape: .reveille)
        let apps = AppRegistry([app])
        #expect(apps.app(topic: "org.example.Kiosk") == app)
        #expect(apps.app(topic: "org.example.\u{212A}iosk") == nil)
        #expect(apps.app(identifier: "org.example.\u{212A}iosk") == nil)
        let composed = CategoryRegistry([Category(name: "caf\u{E9}", alert: .visible)])
        #expect(composed.alert(category: "caf\u{E9}", requested: nil) == .visible)
        #expect(composed.alert(category: "cafe\u{301}", requested: nil) == .silent)
        #expect(!composed.contains("cafe\u{301}"))
        let both = CategoryRegistry([
            Category(name: "caf\u{E9}", alert: .visible), Category(name: "cafe\u{301}", alert: .silent),
        ])
        #expect(both.alert(category: "caf\u{E9}", requested: nil) == .visible)
    }

    @Test("of a profile's and a device's push mode the stricter counts")
    func pushModes() {
        let rising: [PushMode] = [.off, .inAppOnly, .privatePush]
        for (left, first) in rising.enumerated() {
            for (right, second) in rising.enumerated() {
                #expect(first.narrowed(by: second) == rising[min(left, right)])
            }
        }
        #expect(rising.count == PushMode.allCases.count)
    }
}

@Suite("Words of the model")
struct WordTests {
    @Test("the states of a wake are these nine, three of them unsettled")
    func states() {
        #expect(
            WakeState.allCases.map(\.word) == [
                "waiting", "leased", "held", "accepted", "failed", "expired", "cancelled", "merged", "superseded",
            ])
        #expect(WakeState.allCases.filter(\.isUnsettled) == [.waiting, .leased, .held])
        #expect(WakeState.allCases.map(\.rawValue) == Array(0..<9))
    }

    @Test("a device's owner sees three states; quarantine is the operator's affair")
    func deviceStates() {
        #expect(DeviceState.allCases.map(\.word) == ["active", "pending", "active", "needs_registration"])
    }

    @Test("the words of modes on the wire")
    func modes() {
        #expect(WakeMode.allCases.map(\.rawValue) == ["private_alert", "background_wake"])
        #expect(PushMode.allCases.map(\.rawValue) == ["off", "in_app_only", "private_push"])
        #expect(
            WakeReason.allCases.map(\.rawValue) == [
                "notifications.changed", "notifications.dismissed", "device.verify",
            ])
        #expect(APNsEnvironment.allCases.map(\.other) == [.sandbox, .production])
    }
}
