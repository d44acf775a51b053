internal import ReveilleBytes

/// The ids that leave the server, each in one place, so that the store, the routes and the wire give one thing one name.
extension PublicIDs {
    /// The id by which a device knows itself: stable across rotation of its token, new after removal.
    package func serverDeviceID(of device: DeviceRow) -> String {
        text(.serverDevice, row: device.number)
    }

    /// The device behind ``serverDeviceID(of:)``.
    package func device(serverDeviceID text: String) -> DeviceRow? {
        row(.serverDevice, text: text).map { DeviceRow($0) }
    }

    /// The id of a delivery: a device's own alias, or the profile's for nil.
    package func deliveryID(of delivery: DeliveryRow, for device: DeviceRow?) -> String {
        text(.delivery, device: device, row: delivery.number)
    }

    /// The delivery behind ``deliveryID(of:for:)`` as the same device, or the profile, knows it.
    package func delivery(id text: String, for device: DeviceRow?) -> DeliveryRow? {
        row(.delivery, device: device, text: text).map { DeliveryRow($0) }
    }

    /// The UUID of a wake's request in its text: `apns-id` and idempotency key of each of its tries.
    package func requestID(of wake: WakeRow) -> String {
        uuid(.wake, row: wake.number)
    }

    /// The wake behind ``requestID(of:)``.
    package func wake(requestID text: String) -> WakeRow? {
        row(.wake, uuid: text).map { WakeRow($0) }
    }

    /// ``serverDeviceID(of:)`` for a payload, without allocating.
    package func payloadServerDeviceID(of device: DeviceRow) -> PayloadID {
        payloadID(.serverDevice, device: nil, row: device.number)
    }

    /// ``deliveryID(of:for:)`` for a payload, without allocating.
    package func payloadDeliveryID(of delivery: DeliveryRow, for device: DeviceRow) -> PayloadID {
        payloadID(.delivery, device: device, row: delivery.number)
    }

    /// Writes the 36 characters of ``requestID(of:)`` to `target` without allocating.
    package func writeRequestID(of wake: WakeRow, into target: UnsafeMutablePointer<UInt8>) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: UUIDText.byteCount) { block in
            guard let start = block.baseAddress else { return }
            write(.wake, device: nil, row: wake.number, into: start)
            UUIDText.encode(UnsafeRawBufferPointer(block), into: target)
        }
    }

    private func payloadID(_ kind: PublicIDKind, device: DeviceRow?, row: Int64) -> PayloadID {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: UUIDText.byteCount) { block in
            guard let start = block.baseAddress else { return PayloadID() }
            write(kind, device: device, row: row, into: start)
            return PayloadID(base32Of: UnsafeRawBufferPointer(block))
        }
    }
}
