import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    static let cancelling: [ConformanceCase] = [
        ConformanceCase("reading all that wakes stand for cancels them on every device") { world in
            let devices = [try await world.device(token: 1), try await world.device(token: 2)]
            let delivery = try await world.deliver()
            let leased = try #require(try await world.lease(1).first)
            #expect(try await world.store.markRead(delivery, of: try await world.profile()))
            for device in devices { #expect(try await world.unsettled(device).isEmpty) }
            #expect(try await world.record(leased.wake).state == .cancelled)
            #expect(world.intake.seen.revoked == [leased.wake])
            #expect(try await world.lease().isEmpty)
        },
        ConformanceCase("reading some of it cancels nothing") { world in
            let device = try await world.device()
            let first = try await world.deliver(series: "s")
            let second = try await world.deliver(series: "s")
            let profile = try await world.profile()
            let leased = try await world.leaseOne()
            #expect(try await world.store.markRead(second, of: profile))
            #expect(try await world.record(leased.wake).state == .leased)
            #expect(try await world.record(leased.wake).deliveries == [first, second])
            #expect(try await world.store.markRead(first, of: profile))
            #expect(try await world.record(leased.wake).state == .cancelled)
            #expect(try await world.unsettled(device).isEmpty)
        },
        ConformanceCase("a cursor that a device presents cancels its own wakes, and only those it covers") { world in
            let device = try await world.device(token: 1)
            let other = try await world.device(token: 2)
            let first = try await world.deliver(series: "a")
            let second = try await world.deliver(series: "b")
            try await world.store.acknowledge(try await world.cursor(at: first), by: device.row)
            #expect(try await world.unsettled(device).map(\.deliveries) == [[second]])
            #expect(try await world.unsettled(other).count == 2)
            try await world.store.acknowledge(try await world.cursor(at: second), by: device.row)
            #expect(try await world.unsettled(device).isEmpty)
        },
        ConformanceCase("a wake that absorbed more than a cursor covers stays") { world in
            let device = try await world.device()
            let first = try await world.deliver(series: "s")
            let second = try await world.deliver(series: "s")
            let leased = try await world.leaseOne()
            try await world.store.acknowledge(try await world.cursor(at: first), by: device.row)
            #expect(try await world.record(leased.wake).state == .leased)
            try await world.store.acknowledge(try await world.cursor(at: second), by: device.row)
            #expect(try await world.record(leased.wake).state == .cancelled)
        },
        ConformanceCase("receipts cover one by one, and take deliveries off a list that nobody has seen") { world in
            let device = try await world.device()
            let profile = try await world.profile()
            let first = try await world.deliver(series: "s")
            let second = try await world.deliver(series: "s")
            #expect(try await world.store.recordReceipt(second, by: device.row, of: profile))
            let wake = try #require(try await world.unsettled(device).first)
            #expect(wake.deliveries == [first])
            #expect(try await world.store.recordReceipt(second, by: device.row, of: profile))
            #expect(try await world.store.recordReceipt(first, by: device.row, of: profile))
            #expect(try await world.record(wake.row).state == .cancelled)
        },
        ConformanceCase("receipts and a cursor cover together") { world in
            let device = try await world.device()
            let profile = try await world.profile()
            let first = try await world.deliver(series: "s")
            let second = try await world.deliver(series: "s")
            let wake = try await world.leaseOne()
            #expect(try await world.store.recordReceipt(second, by: device.row, of: profile))
            #expect(try await world.record(wake.wake).state == .leased)
            try await world.store.acknowledge(try await world.cursor(at: first), by: device.row)
            #expect(try await world.record(wake.wake).state == .cancelled)
        },
        ConformanceCase("a receipt for another profile's delivery, or by its device, is none") { world in
            let device = try await world.device("ann")
            let foreign = try await world.device("bob", token: 2)
            let delivery = try await world.deliver("ann")
            let ann = try await world.profile("ann")
            let bob = try await world.profile("bob")
            #expect(try await world.store.recordReceipt(delivery, by: foreign.row, of: bob) == false)
            #expect(try await world.store.recordReceipt(delivery, by: foreign.row, of: ann) == false)
            #expect(try await world.store.recordReceipt(DeliveryRow(9_999), by: device.row, of: ann) == false)
            #expect(try await world.unsettled(device).count == 1)
        },
        ConformanceCase("full coverage while the outcome is unknown is an arrival, but no evidence", unknownCovered),
        ConformanceCase("cursors that are foreign, of another epoch or from the future cancel nothing") { world in
            let device = try await world.device()
            let delivery = try await world.deliver()
            let cursor = try await world.cursor(at: delivery)
            let bob = try await world.profile("bob")
            for wrong in [
                Cursor(profile: bob, epoch: cursor.epoch, change: cursor.change),
                Cursor(profile: cursor.profile, epoch: cursor.epoch + 1, change: cursor.change),
                Cursor(profile: cursor.profile, epoch: cursor.epoch, change: cursor.change + 1),
            ] { try await world.store.acknowledge(wrong, by: device.row) }
            #expect(try await world.unsettled(device).count == 1)
        },
        ConformanceCase("an answer alone cancels nothing") { world in
            let device = try await world.device()
            let delivery = try await world.deliver()
            let profile = try await world.profile()
            _ = try await world.store.changes(of: profile, since: nil, limit: 10)
            _ = try await world.store.deliveries(of: profile, before: nil, limit: 10)
            _ = try await world.store.delivery(delivery, of: profile)
            #expect(try await world.unsettled(device).count == 1)
        },
        ConformanceCase("turning a device off, and removing it, cancels everything and raises its version") { world in
            let device = try await world.device()
            try await world.deliver(series: "a")
            let leased = try await world.leaseOne()
            try await world.deliver(series: "b")
            let change = DeviceUpdate(name: .absent, pushMode: .inAppOnly, categories: .absent)
            let changed = try #require(try await world.store.update(device.row, of: device.profile, change))
            #expect(changed.version == device.version + 1 && !changed.isEnabled)
            #expect(try await world.unsettled(device).isEmpty)
            #expect(world.intake.seen.revoked == [leased.wake])
            try await world.settle(leased, .unavailable)
            #expect(try await world.record(leased.wake).state == .cancelled)
            let on = DeviceUpdate(name: .absent, pushMode: .privatePush, categories: .absent)
            _ = try await world.store.update(device.row, of: device.profile, on)
            try await world.deliver(series: "c")
            #expect(try await world.store.remove(device.row, of: device.profile))
            #expect(try await world.store.remove(device.row, of: device.profile) == false)
            #expect(try await world.lease().isEmpty)
        },
        ConformanceCase("everything can be read at once, up to a change") { world in
            let device = try await world.device()
            let profile = try await world.profile()
            let first = try await world.deliver(series: "a")
            let second = try await world.deliver(series: "b")
            #expect(try await world.store.markAllRead(of: profile, upTo: first.number) == 1)
            #expect(try await world.unsettled(device).map(\.deliveries) == [[second]])
            #expect(try await world.store.markAllRead(of: profile, upTo: nil) == 1)
            #expect(try await world.store.markAllRead(of: profile, upTo: nil) == 0)
            #expect(try await world.unsettled(device).isEmpty)
        },
    ]

    @Sendable private static func unknownCovered(_ world: StoreWorld) async throws {
        let device = try await world.device()
        let delivery = try await world.deliver()
        let wake = try await world.leaseOne()
        try await world.settle(wake, .lost)
        try await world.store.acknowledge(try await world.cursor(at: delivery), by: device.row)
        #expect(try await world.record(wake.wake).state == .accepted)
        #expect(try await world.reload(device).lastSuccessMilliseconds == nil)
        let second = try await world.deliver()
        let gone = try await world.leaseOne()
        try await world.settle(gone, .gone)
        // The lane had no accepted send, so "gone" is not believed.
        #expect(try await world.reload(device).state == .quarantined)
        #expect(second > delivery)
    }
}

extension StoreWorld {
    func cursor(at delivery: DeliveryRow, _ name: String = "ann") async throws -> Cursor {
        let epoch = try #require(try await store.epoch(of: delivery.number))
        return Cursor(profile: try await profile(name), epoch: epoch, change: delivery.number)
    }
}
