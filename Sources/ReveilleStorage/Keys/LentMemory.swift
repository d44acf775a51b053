/// A caller's memory on its way into a lock.
///
/// `@unchecked Sendable`: made and used within one synchronous call, whose caller has the memory to itself meanwhile.
struct LentMemory: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
}
