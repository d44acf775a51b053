internal import Glibc
internal import ReveilleBytes
internal import ReveilleStorage
internal import ReveilleStorageSQLite

/// Why there is no master key to work with, with what to do.
struct MasterKeyProblem: Error, Hashable {
    /// A sentence without a capital, to stand behind what named the key.
    let reason: String
}

extension StoreSettings {
    /// Where the search for the master key ends.
    enum KeyFinding {
        /// These keys are to be used.
        case found(MasterKeys)
        /// There is no store yet and no key: one is to be made, in this file.
        case toBeMade(String)
    }

    /// Finds the master key and changes nothing.
    ///
    /// The only judge of it: a start uses what is found here, and a check of the settings only looks whether something is.
    func findKeys() throws(MasterKeyProblem) -> KeyFinding {
        if let key {
            guard let key = MasterKey(text: key) else {
                throw MasterKeyProblem(
                    reason: "a master key has 64 hexadecimal digits; 'reveille keys make-master' makes one")
            }
            return .found(MasterKeys(current: key))
        }
        guard let keyFile else { throw MasterKeyProblem(reason: "no file is named") }
        guard access(keyFile, F_OK) != 0, errno == ENOENT else {
            do throws(CommandFailure) {
                return .found(try MasterKeyFile.read(keyFile))
            } catch {
                throw MasterKeyProblem(reason: error.message)
            }
        }
        guard try isEmpty() else {
            throw MasterKeyProblem(
                reason:
                    "the master key file \(keyFile) is missing, and \(databasePath) was made with one; put the file back "
                    + "from where you keep a copy")
        }
        guard mayMakeKeyFile else {
            throw MasterKeyProblem(
                reason:
                    "\(keyFile) is missing: let the unit load it with LoadCredential=\(Self.credentialName):FILE, or name "
                    + "a file in \(HomeSettingDefinitions.masterKeyFile.variable)")
        }
        if let target = FilePlace.linkTarget(keyFile) {
            throw MasterKeyProblem(
                reason:
                    "the master key file \(keyFile) is a link to \(target), which is not there; a key is made only where "
                    + "the link cannot mislead it: make the file that it leads to with 'reveille keys make-master'")
        }
        if let problem = FilePlace.problemOfMaking(keyFile) {
            throw MasterKeyProblem(reason: "the master key file \(keyFile) cannot be made: \(problem)")
        }
        return .toBeMade(keyFile)
    }

    /// What is to be said of the database file; nil when there is none or it is well.
    var databaseProblem: String? { DatabaseFile.problem(databasePath).map { "\(databasePath) \($0)" } }

    private func isEmpty() throws(MasterKeyProblem) -> Bool {
        do throws(StoreError) {
            return try SQLiteHomeStore.isEmpty(path: databasePath)
        } catch {
            throw MasterKeyProblem(
                reason: "the master key file is missing, and whether there is a store to need it cannot be told: "
                    + StoreSentences.sentence(error))
        }
    }
}
