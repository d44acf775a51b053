package import ReveilleCore

/// Every way on which something leaves the process: the one place where a new way is added.
///
/// A new case needs a line in ``sources`` (where in the sources it opens), in ``isObservedOutside`` (who watches it), a
/// capture in the road, and, when it belongs to a provider, in ``ways(of:)``. The compiler or a test asks for each of them,
/// and a leak is planted on every case in every encoding.
package enum WayOut: String, CaseIterable, Sendable {
    /// Requests to APNs as decoded there: header section and body.
    case apnsRequests = "requests to APNs"
    /// The octets inside TLS on the connection to APNs: frames that no request belongs to as well.
    case apnsOctets = "octets to APNs inside TLS"
    /// Problem details and refusals, to whom they are given.
    case problems = "problem details"
    /// Answers to anybody but the profile or producer whose content it is.
    case foreignAnswers = "answers to others"
    /// `/healthz` and `/readyz`.
    case health = "health and readiness"
    /// `/metrics`.
    case metrics = "metrics"
    /// The log, in both formats, at its most verbose.
    case log = "log lines"
    /// What commands say, faulty settings above all.
    case terminal = "sentences of commands"
    /// The files of the store: they may be copied, and backups leave the machine.
    case files = "contents of files"
    /// Names of files: other users see them.
    case fileNames = "names of files"
    /// Arguments, name and thread names: other users see them.
    case processNames = "names of process and threads"
    /// What a dying process prints.
    case crashReports = "crash reports"

    /// Whether it can be seen only from outside the process, which `interop/privacy` does.
    package var isObservedOutside: Bool {
        switch self {
        case .crashReports: true
        case .apnsRequests, .apnsOctets, .problems, .foreignAnswers, .health, .metrics, .log, .terminal, .files,
            .fileNames, .processNames:
            false
        }
    }

    /// The ways that a provider opens.
    package static func ways(of provider: ProviderKind) -> [WayOut] {
        switch provider {
        case .apns: [.apnsRequests, .apnsOctets]
        // Nothing is sent to them yet.
        case .fcm, .webPush, .unifiedPush: []
        }
    }

    /// The sources that may open a way, and which.
    ///
    /// Keys are `call file`; the call is as ``OutwardCall`` finds it. Nil: nothing of a request can pass there, for the reason
    /// given.
    package static let sources: [String: (way: WayOut?, reason: String)] = [
        // Connections that we open.
        "StreamSocket.connect ReveilleNetwork/Client/SocketDialer.swift": (.apnsOctets, "every client connection"),
        "HTTP2ClientConnection ReveilleSending/Connections/SendingConnection.swift": (
            .apnsRequests, "the connections of a lane"
        ),
        "HTTP2ClientConnection ReveilleNetwork/Client/ClientLink.swift": (
            nil, "connections of HTTPClient, listed below"
        ),
        "HTTP1ClientConnection ReveilleNetwork/Client/ClientLink.swift": (
            nil, "connections of HTTPClient, listed below"
        ),
        "HTTPClient ReveilleCommands/Wiring/APICaller.swift": (nil, "commands call the operator's own server"),
        "APNsSender ReveilleCommands/Wiring/DispatcherWiring.swift": (.apnsRequests, "the lanes of APNs"),
        "APNsSender ReveilleCommands/Bench/BenchAPNsRun.swift": (nil, "a benchmark sends numbers"),
        "getaddrinfo ReveilleNetwork/Sockets/SystemResolver.swift": (nil, "looks up names from the settings"),
        "reveille_linux_connect ReveilleNetwork/Sockets/StreamSocket+Opening.swift": (.apnsOctets, "every socket"),
        "connect CLinux/linux.c": (.apnsOctets, "the system call itself"),
        "socket CLinux/linux.c": (nil, "the system call itself"),
        // Connections that we accept.
        "Listener ReveilleNetwork/Server/HTTPServer.swift": (.problems, "the API"),
        "Listener ReveilleEmulator/Apple/Server/APNsEmulator.swift": (nil, "the emulator stands for Apple"),
        "StreamSocket ReveilleNetwork/Server/ServerConnection.swift": (.foreignAnswers, "the API"),
        "StreamSocket ReveilleEmulator/Apple/Server/AppleConnection.swift": (nil, "the emulator stands for Apple"),
        "StreamSocket ReveilleEmulator/Apple/Server/RefusedConnection.swift": (nil, "the emulator stands for Apple"),
        "StreamSocket ReveilleNetwork/Sockets/StreamSocket.swift": (.apnsOctets, "made by connect"),
        "bind CLinux/linux.c": (nil, "the system call itself"),
        "reveille_linux_bind ReveilleNetwork/Sockets/Listener.swift": (nil, "an address from the settings"),
        // Octets on descriptors.
        "reveille_linux_send ReveilleNetwork/Sockets/StreamSocket+Writing.swift": (.apnsOctets, "every socket"),
        "reveille_linux_send ReveilleNetwork/Sockets/StreamSocket+Closing.swift": (.apnsOctets, "every socket"),
        "send CLinux/linux.c": (.apnsOctets, "the system call itself"),
        "write CLinux/linux.c": (nil, "wake-ups of loops and signals, and the call itself"),
        "reveille_linux_write ReveilleRuntime/ProcessSignals.swift": (nil, "wake-ups of loops"),
        "Glibc.write ReveilleTelemetry/StandardErrorSink.swift": (.log, "the log"),
        "Glibc.write ReveilleCommands/Terminal/Terminal.swift": (.terminal, "what commands say"),
        "LogSink ReveilleTelemetry/StandardErrorSink.swift": (.log, "the log"),
        "LogSink ReveilleTelemetry/ThrottlingSink.swift": (.log, "hands on to another sink"),
        "LogSink ReveilleTelemetry/Log.swift": (nil, "forgets everything"),
        // Files.
        "Glibc.write ReveilleCommands/Files/FileReplacement.swift": (.files, "the master key file"),
        "open ReveilleCommands/Files/FileReplacement.swift": (.fileNames, "a path from the settings"),
        "rename ReveilleCommands/Files/FileReplacement.swift": (.fileNames, "a path from the settings"),
        "link ReveilleCommands/Files/FileReplacement.swift": (.fileNames, "a path from the settings"),
        "open ReveilleCommands/Files/FileContents.swift": (nil, "reads"),
        "open ReveilleRuntime/OpenFiles.swift": (nil, "asks whether a descriptor is left"),
        "open ReveilleCommands/Terminal/StandardStreams.swift": (nil, "occupies a closed descriptor with nothing"),
        "mkdir ReveilleCommands/Wiring/StoreOpener.swift": (.fileNames, "a path from the settings"),
        "mkdtemp ReveilleCommands/Files/TemporaryFolder.swift": (.fileNames, "folders of demo and benchmarks"),
        "Glibc.open ReveilleStorageSQLite/Opening/StoreOpening.swift": (.fileNames, "the database"),
        "open ReveilleStorageSQLite/Opening/ProcessSlot.swift": (.fileNames, "slot files have numbers"),
        "open ReveilleStorageSQLite/Engine/LogRoom.swift": (nil, "reserves room and writes nothing"),
        "mkdir ReveilleStorageSQLite/Opening/ProcessSlot.swift": (.fileNames, "slot files have numbers"),
        "fopen ReveilleStorageSQLite/Opening/BootIdentity.swift": (nil, "reads"),
        "sqlite3_open_v2 ReveilleSQLite/SQLiteConnection.swift": (.files, "the database"),
        "Glibc.write ReveilleEmulator/Command/TextFile.swift": (nil, "the emulator's certificate"),
        "open ReveilleEmulator/Command/TextFile.swift": (nil, "the emulator's certificate"),
        "rename ReveilleEmulator/Command/TextFile.swift": (nil, "the emulator's certificate"),
        // Processes and threads.
        "posix_spawn ReveilleCommands/Files/ChildProcess.swift": (.processNames, "benchmarks start the program itself"),
        "pthread_setname_np CLinux/linux.c": (.processNames, "names of threads are written in the source"),
    ]
}
