import Glibc
import ReveilleBytes
import ReveilleCore
import ReveilleJSON
import ReveilleRuntime
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting

/// Reads the evidence of a run whose servers have all ended.
extension CrashEvidence {
    static func gather(_ run: CrashRun, seen: [JSONValue], barriers: [Barrier]) async throws -> CrashEvidence {
        let world = run.world
        let keys = try masterKeys(world.masterKeyFile)
        let store = try await SQLiteHomeStore.open(path: world.database, masterKeys: keys, apps: AppRegistry([]))
        var evidence = CrashEvidence()
        evidence.barriers = barriers
        do {
            let reader = Reader(ids: store.secrets.publicIDs, household: run.household)
            evidence.promises = run.stream.promises.flatMap(reader.promises)
            evidence.pushes = seen.map(reader.push)
            evidence.wakes = try await wakes(of: store)
            for (_, device) in run.household.devices {
                guard let row = reader.row(of: device) else { continue }
                let screen = try await world.apple.screen(of: device.token) ?? []
                evidence.screens[row] = screen.compactMap { reader.named(in: $0["payload"], for: row) }
            }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        evidence.promisedNotifications = Set(run.stream.promises.map(\.notification)).count
        evidence.differentAnswers = run.stream.differentAnswers
        (evidence.storedNotifications, evidence.damage) = try await world.worker.run { [path = world.database] in
            let file = try SQLiteConnection(path: path, access: .readOnly, busyMilliseconds: 5_000)
            let damage = try file.prepare("PRAGMA integrity_check").map { $0.text(0) }
            return (Int(try file.integer("SELECT count(*) FROM notification")), damage.filter { $0 != "ok" })
        }
        return evidence
    }

    private static func masterKeys(_ path: String) throws -> MasterKeys {
        guard let file = fopen(path, "r") else { throw ProgramProcess.Failure(description: "\(path) is missing") }
        defer { fclose(file) }
        var digits = [UInt8](repeating: 0, count: 64)
        guard fread(&digits, 1, digits.count, file) == digits.count,
            let key = MasterKey(text: SecretText(String(decoding: digits, as: UTF8.self)))
        else { throw ProgramProcess.Failure(description: "\(path) holds no master key") }
        return MasterKeys(current: key)
    }

    private static func wakes(of store: SQLiteHomeStore) async throws -> [Wake] {
        var wakes: [Wake] = []
        while true {
            let page = try await store.wakes(after: wakes.last?.row, state: nil, limit: 1_000)
            if page.isEmpty { return wakes }
            wakes += page.map { Wake(row: $0.row, device: $0.device, state: $0.state, deliveries: $0.deliveries) }
        }
    }

    /// Turns the ids that leave the server back into rows.
    private struct Reader {
        let ids: PublicIDs
        private let tokens: [String: DeviceRow]
        private let devices: [String: [DeviceRow]]

        init(ids: PublicIDs, household: CrashHousehold) {
            self.ids = ids
            var tokens: [String: DeviceRow] = [:]
            var devices: [String: [DeviceRow]] = [:]
            for (profile, device) in household.devices {
                guard let row = ids.row(.device, text: device.id).map({ DeviceRow($0) }) else { continue }
                tokens[device.token] = row
                devices[profile, default: []].append(row)
            }
            self.tokens = tokens
            self.devices = devices
        }

        func row(of device: CrashHousehold.Device) -> DeviceRow? { tokens[device.token] }

        /// What a 202 promised; a delivery that cannot be read is one that nobody gets.
        func promises(_ promise: PostStream.Promise) -> [Promise] {
            promise.deliveries.flatMap { profile, id in
                (devices[profile] ?? []).map { device in
                    Promise(
                        delivery: ids.delivery(id: id, for: nil) ?? DeliveryRow(0), device: device, post: promise.key,
                        round: promise.round)
                }
            }
        }

        func push(_ seen: JSONValue) -> Push {
            let headers = (seen["headers"]?.array ?? []).compactMap { header -> (name: String, value: String)? in
                guard let name = header.array?.first?.string, let value = header.array?.last?.string else { return nil }
                return (name, value)
            }
            let id = seen["apns_id"]?.string ?? ""
            let body = seen["body"]?.string ?? ""
            let device = seen["token"]?.string.flatMap { tokens[$0] }
            // Each process signs provider tokens of its own; all else must be the same.
            let fields = headers.filter { $0.name != "authorization" }.map { "\($0.name): \($0.value)\n" }
            return Push(
                number: seen["number"]?.integer ?? 0, apnsID: id, wake: ids.wake(requestID: id), device: device,
                collapseID: headers.first { $0.name == "apns-collapse-id" }?.value, request: fields.joined() + body,
                named: device.flatMap { named(in: try? JSONReader.parse(Array(body.utf8)), for: $0) },
                isAlert: headers.contains { $0.name == "apns-push-type" && $0.value == "alert" },
                isAccepted: seen["accepted"]?.boolean ?? false)
        }

        func named(in payload: JSONValue?, for device: DeviceRow) -> DeliveryRow? {
            payload?["reveille"]?["delivery_id"]?.string.flatMap { ids.delivery(id: $0, for: device) }
        }
    }
}
