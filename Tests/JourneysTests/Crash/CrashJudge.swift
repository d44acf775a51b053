import ReveilleCore

/// Holds what happened against what was promised: nothing lost, repeats only as the same request, nothing shown twice.
struct CrashJudge {
    private let evidence: CrashEvidence
    private let wakes: [WakeRow: CrashEvidence.Wake]
    private let requests: [WakeRow: [CrashEvidence.Push]]

    init(_ evidence: CrashEvidence) {
        self.evidence = evidence
        wakes = Dictionary(evidence.wakes.map { ($0.row, $0) }) { first, _ in first }
        requests = Dictionary(
            grouping: evidence.pushes.filter { $0.wake != nil }, by: { $0.wake ?? WakeRow(0) })
    }

    /// Everything that is not as it should be.
    func findings() -> [CrashFinding] {
        promises() + differences() + screens() + states() + directions() + lateSends() + store()
    }

    /// Requests that Apple got more than once.
    var repeats: Int { requests.values.reduce(0) { $0 + $1.count - 1 } }

    private struct Place: Hashable {
        let delivery: DeliveryRow
        let device: DeviceRow
    }

    /// Each delivery was named or absorbed by wakes that Apple accepted, all under one id.
    private func promises() -> [CrashFinding] {
        var ids: [Place: Set<String>] = [:]
        for push in evidence.pushes where push.isAccepted {
            guard let wake = push.wake.flatMap({ wakes[$0] }) else { continue }
            for delivery in wake.deliveries {
                ids[Place(delivery: delivery, device: wake.device), default: []].insert(push.apnsID)
            }
        }
        return evidence.promises.compactMap { promise in
            let accepted = ids[Place(delivery: promise.delivery, device: promise.device)] ?? []
            switch accepted.count {
            case 0: return .lost(promise)
            case 1: return nil
            default: return .acceptedUnderSeveralIDs(promise, ids: accepted)
            }
        }
    }

    /// What goes out twice for a wake is the same request, with the same collapse id.
    private func differences() -> [CrashFinding] {
        requests.values.flatMap { pushes -> [CrashFinding] in
            guard let first = pushes.first else { return [] }
            var findings: [CrashFinding] = []
            if pushes.contains(where: { $0.collapseID != first.collapseID }) {
                findings.append(.otherCollapseID(apnsID: first.apnsID))
            }
            if pushes.contains(where: { $0.request != first.request || $0.apnsID != first.apnsID }) {
                findings.append(.changedRepeat(apnsID: first.apnsID))
            }
            return findings
        }
    }

    /// No device draws a delivery as two notifications, by what Apple accepted and by what is on the screens.
    private func screens() -> [CrashFinding] {
        var drawn: [Place: Set<String>] = [:]
        for push in evidence.pushes where push.isAccepted && push.isAlert {
            guard let named = push.named, let device = push.device else { continue }
            // Without a collapse id each request, a repeat too, is a notification of its own.
            drawn[Place(delivery: named, device: device), default: []]
                .insert(push.collapseID.map { "collapse \($0)" } ?? "request \(push.number)")
        }
        var twice = Set(drawn.filter { $0.value.count > 1 }.keys)
        for (device, shown) in evidence.screens {
            for (delivery, times) in Dictionary(grouping: shown, by: { $0 }) where times.count > 1 {
                twice.insert(Place(delivery: delivery, device: device))
            }
        }
        return twice.map { .shownTwice($0.delivery, on: $0.device) }
    }

    /// Every wake is settled as accepted, or another stands for it; and Apple knows of it.
    private func states() -> [CrashFinding] {
        evidence.wakes.compactMap { wake in
            switch wake.state {
            case .accepted:
                let isKnown = requests[wake.row]?.contains(where: \.isAccepted) ?? false
                return isKnown ? nil : .acceptedWithoutApple(wake.row)
            case .merged, .superseded: return nil
            case .waiting, .leased, .held, .failed, .expired, .cancelled: return .endedAs(wake.state, wake.row)
            }
        }
    }

    private func directions() -> [CrashFinding] {
        evidence.pushes.compactMap { push in
            let wake = push.wake.flatMap { wakes[$0] }
            let isRight = wake != nil && wake?.device == push.device && wake?.deliveries.last == push.named
            return isRight ? nil : .misdirected(number: push.number)
        }
    }

    private func lateSends() -> [CrashFinding] {
        evidence.barriers.flatMap { barrier in
            evidence.pushes.compactMap { push -> CrashFinding? in
                guard let wake = push.wake, push.number > barrier.number, wake <= barrier.wake else { return nil }
                return .sentAfterItsEnd(wake, number: push.number, round: barrier.round)
            }
        }
    }

    private func store() -> [CrashFinding] {
        var findings = evidence.differentAnswers.map { CrashFinding.answeredDifferently(post: $0) }
        findings += evidence.damage.map { .damaged($0) }
        if evidence.storedNotifications != evidence.promisedNotifications {
            findings.append(
                .notifications(stored: evidence.storedNotifications, promised: evidence.promisedNotifications))
        }
        return findings
    }
}
