/// Carries a value that is not Sendable out of a loop's thread, for tests that then only look at its lifetime.
struct Handover<Value>: @unchecked Sendable {
    private let value: Value

    init(_ value: Value) {
        self.value = value
    }

    func take() -> Value { value }
}
