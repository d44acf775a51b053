import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    static let merging: [ConformanceCase] = [
        ConformanceCase("waiting wakes of one series become one that names the newest") { world in
            let device = try await world.device()
            let first = try await world.deliver(series: "s", ttl: 7_200)
            let due = world.now
            world.advance(by: .seconds(5))
            let second = try await world.deliver(series: "s", ttl: 60)
            let wake = try #require(try await world.unsettled(device).first)
            #expect(try await world.unsettled(device).count == 1)
            #expect(wake.deliveries == [first, second])
            #expect(wake.dueAtMilliseconds == due && wake.expiresAtMilliseconds == due + 7_200_000)
            #expect(try await world.leaseOne().delivery == second)
        },
        ConformanceCase("waiting silent wakes of a device become one") { world in
            let device = try await world.device()
            let deliveries = [
                try await world.deliver(alert: .silent, series: "a"),
                try await world.deliver(alert: .silent, series: "b"),
            ]
            let wakes = try await world.unsettled(device)
            #expect(wakes.count == 1 && wakes.first?.deliveries == deliveries)
        },
        ConformanceCase("visible and silent wakes stay apart, and so do different series") { world in
            let device = try await world.device()
            try await world.deliver(series: "s")
            try await world.deliver(alert: .silent, series: "s")
            try await world.deliver(series: "t")
            #expect(try await world.unsettled(device).count == 3)
        },
        ConformanceCase("a wake that was leased takes nothing in") { world in
            let device = try await world.device()
            try await world.deliver(series: "s")
            let leased = try await world.leaseOne()
            try await world.deliver(series: "s")
            #expect(try await world.unsettled(device).count == 2)
            try await world.settle(leased, .unavailable)
            try await world.deliver(series: "s")
            let wakes = try await world.unsettled(device)
            #expect(wakes.count == 2 && wakes.first?.deliveries.count == 1)
        },
        ConformanceCase("a new wake joins a waiting one even when the lane has room") { world in
            let device = try await world.device()
            try await world.deliver(series: "s")
            world.intake.give(room: 10, world.freshLease())
            try await world.deliver(series: "s")
            #expect(try await world.unsettled(device).count == 1)
            #expect(world.intake.seen.taken.isEmpty)
        },
        ConformanceCase("a lease that was given back unsent does not count") { world in
            let device = try await world.device()
            try await world.deliver(series: "s")
            let leased = try await world.leaseOne()
            try await world.giveBack(leased, as: .waiting)
            try await world.deliver(series: "s")
            let wakes = try await world.unsettled(device)
            #expect(wakes.count == 1 && wakes.first?.row == leased.wake && wakes.first?.everLeased == false)
        },
        ConformanceCase("a lease that ran out counts") { world in
            let device = try await world.device()
            try await world.deliver(series: "s")
            let leased = try await world.leaseOne()
            world.advance(by: .seconds(61))
            _ = try await world.store.sweep(expiryAllowed: true)
            try await world.deliver(series: "s")
            let wakes = try await world.unsettled(device)
            #expect(wakes.count == 2 && wakes.first?.row == leased.wake && wakes.first?.everLeased == true)
        },
        ConformanceCase(
            "a wake that a quarantine took out of hands may have been sent, whatever is said of a later lease"
        ) {
            world in
            try await world.device()
            try await world.deliver(series: "a")
            try await world.deliver(series: "b")
            let wakes = try await world.lease()
            try await world.settle(wakes[0], .gone)
            // The end of the second one's try will find no lease any more. Registering again lets both go out once more.
            _ = try await world.existing(try world.registration(try await world.profile(), install: "install-1"))
            let again = try #require(try await world.lease().first { $0.wake == wakes[1].wake })
            try await world.giveBack(again, as: .waiting)
            #expect(try await world.record(again.wake).everLeased)
        },
        ConformanceCase("a wake that was sent before stays sent when a later lease is given back") { world in
            let device = try await world.device()
            try await world.deliver(series: "s")
            try await world.settle(try await world.leaseOne(), .lost)
            try await world.giveBack(try await world.leaseOne(), as: .waiting)
            try await world.deliver(series: "s")
            #expect(try await world.unsettled(device).count == 2)
        },
        ConformanceCase("the sixth visible wake makes all six one, and later ones join it until it is leased", six),
        ConformanceCase("six silent wakes never make visible ones wait together") { world in
            let device = try await world.device()
            for number in 0..<5 { try await world.deliver(series: "s\(number)") }
            try await world.deliver(alert: .silent)
            try await world.deliver(alert: .silent)
            #expect(try await world.unsettled(device).count == 6)
        },
        ConformanceCase("devices merge for themselves") { world in
            let first = try await world.device(token: 1)
            let second = try await world.device(token: 2)
            try await world.deliver(series: "s")
            try await world.deliver(series: "s")
            #expect(try await world.unsettled(first).count == 1)
            #expect(try await world.unsettled(second).count == 1)
        },
    ]

    @Sendable private static func six(_ world: StoreWorld) async throws {
        let device = try await world.device()
        let due = world.now
        var deliveries: [DeliveryRow] = []
        for number in 0..<5 {
            world.advance(by: .seconds(1))
            deliveries.append(try await world.deliver(series: "s\(number)", ttl: number == 2 ? 200_000 : 3_600))
        }
        let five = try await world.unsettled(device)
        #expect(five.count == 5)
        deliveries.append(try await world.deliver(series: "s5", ttl: 60))
        let combined = try #require(try await world.unsettled(device).first)
        #expect(try await world.unsettled(device).count == 1)
        #expect(combined.deliveries == deliveries)
        #expect(combined.dueAtMilliseconds == due + 1_000)
        #expect(combined.expiresAtMilliseconds == due + 3_000 + 200_000_000)
        let expected = world.opened.secrets.collapse.collapseID(
            serverDeviceID: world.opened.secrets.publicIDs.serverDeviceID(of: device.row), subject: .wake(combined.row))
        #expect(combined.collapse == expected)
        for wake in five {
            let record = try await world.record(wake.row)
            #expect(record.state == .merged && record.successor == combined.row)
        }
        deliveries.append(try await world.deliver(series: "another"))
        #expect(try await world.unsettled(device).map(\.deliveries) == [deliveries])
        let leased = try await world.leaseOne()
        #expect(leased.wake == combined.row && leased.delivery == deliveries.last && leased.collapse == expected)
        try await world.deliver(series: "apart")
        #expect(try await world.unsettled(device).count == 2)
    }
}
