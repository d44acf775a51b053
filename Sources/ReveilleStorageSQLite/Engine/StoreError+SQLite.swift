internal import ReveilleSQLite
internal import ReveilleStorage

extension StoreError {
    /// What a refusal of the engine means to the callers of the store.
    init(_ error: SQLiteError) {
        let code: Code =
            switch error.kind {
            case .full: .full
            case .busy: .busy
            case .corrupt: .corrupt
            case .readOnly: .readOnly
            case .inputOutput: .inputOutput
            case .cannotOpen: .cannotOpen
            case .constraint, .interrupted, .other: .programming
            }
        self.init(code, engineCode: error.extendedCode)
    }

    /// Any error of an operation as one of the store.
    init(anything error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as SQLiteError: self.init(error)
        default: self.init(.programming)
        }
    }

    /// True when the cause lies in the file or the machine: every operation of the transaction meets it, and a connection
    /// opened anew may be needed once it is gone.
    var concernsFile: Bool {
        switch code {
        case .full, .busy, .corrupt, .readOnly, .inputOutput, .cannotOpen, .fileMissing: true
        case .newerSchema, .wrongKey, .keyRotated, .unreadableValue, .overloaded, .closed, .programming: false
        }
    }
}
