package import ReveilleStorage

/// What an operator is told when the store cannot do its work.
package enum StoreSentences {
    /// One sentence: what is wrong and what to do.
    package static func sentence(_ error: StoreError) -> String {
        let text =
            switch error.code {
            case .full: "the disk of the data folder is full; make room, nothing accepted is lost"
            case .busy:
                "another process holds the database for too long; is a backup or a second server busy?"
            case .corrupt:
                "the database file is damaged; stop the server and restore the newest backup"
            case .readOnly:
                "the database cannot be written; check owner and mode of the data folder"
            case .inputOutput: "the disk failed to read or write; check it before starting again"
            case .cannotOpen:
                "the database cannot be opened; check that the data folder exists and is ours to write"
            case .newerSchema:
                "the database was written by a newer version; run that version, or restore a backup"
            case .wrongKey:
                "the master key is not the one this database was made with; point "
                    + "\(HomeSettingDefinitions.masterKeyFile.variable) at the right file"
            case .keyRotated:
                "the master key was rotated, and the given one is the former; point "
                    + "\(HomeSettingDefinitions.masterKeyFile.variable) at the file that holds the new key too"
            case .fileMissing: "the database file was removed, or another one stands in its place; put it back"
            case .unreadableValue: "a stored value does not open with this master key"
            case .overloaded: "the store has more work than it can take; try again in a moment"
            case .closed: "the store is closing"
            case .programming: "the store refused a statement; please report this"
            }
        let number = error.engineCode == 0 ? "" : ", SQLite \(error.engineCode)"
        return "\(text) (\(error.code.rawValue)\(number))"
    }
}
