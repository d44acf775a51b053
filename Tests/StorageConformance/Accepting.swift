import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    static let accepting: [ConformanceCase] = [
        ConformanceCase("a post gives each recipient a delivery, in order, known or not") { world in
            try await world.device("bob")
            let accepted = try await world.accept(world.post(["ann", "bob", "cleo"]))
            #expect(accepted.deliveries.count == 3)
            #expect(accepted.acceptedAtMilliseconds == world.now)
            for (name, delivery) in zip(["ann", "bob", "cleo"], accepted.deliveries) {
                let profile = try #require(try await world.store.existingProfile(name, of: world.producer))
                let found = try #require(try await world.store.delivery(delivery, of: profile))
                #expect(found.title == "title" && found.body == "body" && found.category == "mail")
                #expect(found.notification == accepted.notification && found.alert == .visible)
            }
        },
        ConformanceCase("a delivery is its own profile's only") { world in
            let delivery = try await world.deliver("ann")
            let bob = try await world.profile("bob")
            #expect(try await world.store.delivery(delivery, of: bob) == nil)
        },
        ConformanceCase("content comes back whole, whatever is in it") { world in
            var post = world.post(["ann"], series: "série 🎈")
            post.title = "t\u{0}ï"
            post.body = String(repeating: "ü", count: 20_000)
            post.data = Array(#"{"a":[1,2]}"#.utf8)
            let delivery = try #require(try await world.accept(post).deliveries.first)
            let found = try #require(try await world.store.delivery(delivery, of: try await world.profile()))
            #expect(found.title == post.title && found.body == post.body && found.data == post.data)
            #expect(found.series == "série 🎈")
        },
        ConformanceCase("a wake for which there is room is leased at insert and handed over whole after the commit") {
            world in
            let device = try await world.device()
            let lease = world.freshLease(5)
            world.intake.give(room: 10, lease)
            let delivery = try await world.deliver()
            let taken = try #require(world.intake.seen.taken.first)
            #expect(world.intake.seen.taken.count == 1)
            #expect(taken.device == device.row && taken.delivery == delivery && taken.lease == lease)
            #expect(taken.topic == "org.example.app" && taken.shape == .reveille && taken.mode == .privateAlert)
            #expect(taken.reason == .changed && taken.failures == 0 && taken.verificationCode == nil)
            #expect(taken.expiresAtMilliseconds == world.now + 24 * 3_600_000)
            #expect(taken.committedAtMilliseconds == world.steady)
            let token = try world.opened.vault.open(taken.sealedToken, device: device.row)
            #expect(token.octets == [UInt8](repeating: 1, count: 32))
            let record = try await world.record(taken.wake)
            #expect(record.state == .leased && record.everLeased && record.collapse == taken.collapse)
            #expect(try await world.lease().isEmpty)
        },
        ConformanceCase("wakes over the room wait, and the lane is told") { world in
            for token in 1...3 as ClosedRange<UInt8> { try await world.device("user-\(token)", token: token) }
            world.intake.give(room: 2, world.freshLease())
            try await world.accept(world.post(["user-1", "user-2", "user-3"]))
            #expect(world.intake.seen.taken.count == 2)
            #expect(world.intake.seen.due == [StoreWorld.production: world.now])
            #expect(try await world.lease().count == 1)
        },
        ConformanceCase("room that a post did not use is given back") { world in
            try await world.device("ann")
            world.intake.give(room: 100, world.freshLease())
            try await world.accept(world.post(["ann", "bob", "cleo"]))
            let seen = world.intake.seen
            #expect(seen.taken.count == 1)
            #expect(seen.reserved - seen.released == 1 && seen.room == 99)
        },
        ConformanceCase("without an intake everything waits") { world in
            let other = try await world.openAnother()
            try await world.device()
            _ = try await other.store.accept(world.post())
            #expect(try await world.lease().count == 1)
        },
        ConformanceCase("the same idempotency key and request are answered from the first, and wake once") { world in
            let device = try await world.device()
            let key = Idempotency(key: "k1", fingerprint: [1, 2, 3])
            let first = try await world.accept(world.post(["ann", "bob"], key: key))
            let second = try await world.store.accept(world.post(["ann", "bob"], key: key))
            #expect(second == .replayed(first))
            #expect(try await world.unsettled(device).count == 1)
        },
        ConformanceCase("the same idempotency key with another request is refused") { world in
            try await world.accept(world.post(key: Idempotency(key: "k1", fingerprint: [1])))
            let result = try await world.store.accept(world.post(key: Idempotency(key: "k1", fingerprint: [2])))
            #expect(result == .keyUsedForOtherRequest)
            let page = try await world.store.deliveries(of: try await world.profile(), before: nil, limit: 10)
            #expect(page.count == 1)
        },
        ConformanceCase("an idempotency key is the producer's own and free again after a day") { world in
            let key = Idempotency(key: "k1", fingerprint: [1])
            try await world.accept(world.post(key: key))
            var foreign = world.post(key: key)
            foreign.producer = try #require(try await world.store.createProducer(name: "other"))
            try await world.accept(foreign)
            world.advance(by: .seconds(24 * 3_600 - 1))
            guard case .replayed = try await world.store.accept(world.post(key: key)) else {
                throw Unexpected("the key is kept for a day")
            }
            world.advance(by: .seconds(1))
            try await world.accept(world.post(key: Idempotency(key: "k1", fingerprint: [9])))
        },
        ConformanceCase("many posts with one key at the same moment are one") { world in
            let device = try await world.device()
            let key = Idempotency(key: "dlv-1:dev-9:1", fingerprint: [7])
            let post = world.post(key: key)
            let results = try await withThrowingTaskGroup(of: AcceptResult.self) { group in
                for _ in 0..<8 { group.addTask { try await world.store.accept(post) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let accepted = results.filter { if case .accepted = $0 { true } else { false } }
            let replayed = results.filter { if case .replayed = $0 { true } else { false } }
            #expect(accepted.count == 1 && replayed.count == 7)
            #expect(try await world.unsettled(device).count == 1)
        },
        ConformanceCase("two hundred posts at the same moment are all accepted") { world in
            let numbers = try await withThrowingTaskGroup(of: DeliveryRow?.self) { group in
                for number in 0..<200 {
                    group.addTask { try await world.accept(world.post(["user-\(number % 7)"])).deliveries.first }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(numbers.count == 200 && !numbers.contains(nil))
        },
        ConformanceCase("a silent notification wakes in the background for at most an hour") { world in
            try await world.device()
            try await world.deliver(alert: .silent)
            let wake = try await world.leaseOne()
            #expect(wake.mode == .backgroundWake && wake.collapse == nil)
            #expect(wake.expiresAtMilliseconds == world.now + 3_600_000)
        },
        ConformanceCase("a visible notification lives as long as its producer says") { world in
            try await world.device()
            try await world.deliver(ttl: 120)
            #expect(try await world.leaseOne().expiresAtMilliseconds == world.now + 120_000)
        },
        ConformanceCase("a Mac with the mail shape is woken in the background, for as long as the alert lives") {
            world in
            try await world.device(app: StoreWorld.mailApp) { $0.os = .macOS }
            try await world.deliver()
            let wake = try await world.leaseOne()
            #expect(wake.mode == .backgroundWake && wake.shape == .mail)
            #expect(wake.expiresAtMilliseconds == world.now + 24 * 3_600_000)
        },
        ConformanceCase("a series has one collapse id on a device, and another on every other") { world in
            try await world.device(token: 1)
            try await world.device(token: 2)
            world.intake.give(room: 10, world.freshLease())
            try await world.deliver(series: "s")
            try await world.deliver(series: "s")
            try await world.deliver(series: "t")
            try await world.deliver()
            let byDevice = Dictionary(grouping: world.intake.seen.taken, by: \.device)
            #expect(byDevice.count == 2)
            for wakes in byDevice.values {
                #expect(wakes[0].collapse == wakes[1].collapse)
                #expect(Set(wakes.map(\.collapse)).count == 3)
                #expect(wakes.allSatisfy { $0.collapse?.text.count == 26 })
            }
            let all = Set(world.intake.seen.taken.map(\.collapse))
            #expect(all.count == 6)
        },
        ConformanceCase("devices and profiles that are off get deliveries and no wakes", quietModes),
        ConformanceCase("a device gets the categories that it asked for") { world in
            let device = try await world.device { $0.categories = .value(["mail", "café"]) }
            try await world.accept(world.post(category: "chat"))
            #expect(try await world.unsettled(device).isEmpty)
            try await world.accept(world.post(category: "café"))
            #expect(try await world.unsettled(device).count == 1)
        },
    ]

    @Sendable private static func quietModes(_ world: StoreWorld) async throws {
        for (number, mode) in [PushMode.off, .inAppOnly].enumerated() {
            let device = try await world.device("quiet-\(mode)", token: UInt8(10 + number)) { $0.pushMode = mode }
            try await world.deliver("quiet-\(mode)")
            #expect(try await world.unsettled(device).isEmpty)
            let gated = try await world.device("gated-\(mode)", token: UInt8(20 + number))
            try await world.store.setPushMode(mode, of: gated.profile)
            #expect(try await world.store.pushMode(of: gated.profile) == mode)
            let delivery = try await world.deliver("gated-\(mode)")
            #expect(try await world.unsettled(gated).isEmpty)
            #expect(try await world.store.delivery(delivery, of: gated.profile) != nil)
            let late = try await world.device("gated-\(mode)", token: UInt8(30 + number), install: "late")
            try await world.deliver("gated-\(mode)")
            #expect(try await world.unsettled(late).isEmpty)
            try await world.store.setPushMode(.privatePush, of: gated.profile)
            try await world.deliver("gated-\(mode)")
            #expect(try await world.unsettled(gated).count == 1)
            #expect(try await world.unsettled(late).count == 1)
        }
    }
}
