// swift-tools-version: 6.2
import PackageDescription

// The architecture is a house: targets are listed floor by floor, and a target may depend only on floors below it.
// `Tests/ArchitectureTests` holds the resolved manifest against its own list; docs/architecture.md draws it.

let package = Package(
    name: "reveille",
    products: [
        .executable(name: "reveille", targets: ["reveille"])
    ],
    targets: [
        // Floor 0: C libraries of the system, and the few Linux calls that Swift's Glibc module lacks.
        .systemLibrary(
            name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CLinux"),

        // Floor 1: bytes, time and threads.
        .target(name: "ReveilleBytes"),
        .target(name: "ReveilleRuntime", dependencies: ["CLinux"]),

        // Floor 2: JSON, logs and metrics.
        .target(name: "ReveilleJSON", dependencies: ["ReveilleBytes"]),
        .target(name: "ReveilleTelemetry", dependencies: ["ReveilleRuntime"]),

        // Floor 3: one gate per C library, and the sans-IO codecs of HTTP/1.1 and WebSocket.
        .target(name: "ReveilleCrypto", dependencies: ["COpenSSL", "ReveilleBytes", "ReveilleJSON"]),
        .target(
            name: "ReveilleTLS", dependencies: ["COpenSSL", "ReveilleBytes", "ReveilleRuntime"]),
        .target(name: "ReveilleHTTP2", dependencies: ["CNghttp2", "ReveilleBytes"]),
        .target(name: "ReveilleSQLite", dependencies: ["CSQLite", "ReveilleBytes"]),
        .target(name: "ReveilleHTTP1", dependencies: ["ReveilleBytes"]),
        .target(name: "ReveilleWebSocket", dependencies: ["ReveilleBytes"]),

        // Floor 4: sockets with the protocols on them; the words and rules of the domain.
        .target(
            name: "ReveilleNetwork",
            dependencies: [
                "CLinux", "ReveilleBytes", "ReveilleHTTP1", "ReveilleHTTP2", "ReveilleRuntime",
                "ReveilleTLS", "ReveilleTelemetry",
            ]),
        .target(name: "ReveilleCore", dependencies: ["ReveilleBytes"]),

        // Floor 5: the connections of a lane, the guard of endpoints, and what a store must do.
        .target(
            name: "ReveilleSending",
            dependencies: [
                "ReveilleCore", "ReveilleHTTP2", "ReveilleNetwork", "ReveilleRuntime", "ReveilleTLS",
                "ReveilleTelemetry",
            ]),
        .target(name: "ReveilleEndpoints", dependencies: ["ReveilleNetwork"]),
        .target(
            name: "ReveilleStorage",
            dependencies: ["ReveilleBytes", "ReveilleCore", "ReveilleCrypto", "ReveilleRuntime"]),

        // Floor 6: providers, and engines of the store.
        .target(
            name: "ReveilleAPNs",
            dependencies: [
                "ReveilleBytes", "ReveilleCore", "ReveilleCrypto", "ReveilleHTTP2", "ReveilleJSON",
                "ReveilleNetwork", "ReveilleRuntime", "ReveilleSending", "ReveilleTelemetry",
            ]),
        .target(
            name: "ReveilleFCM",
            dependencies: [
                "ReveilleBytes", "ReveilleCore", "ReveilleCrypto", "ReveilleHTTP2", "ReveilleJSON", "ReveilleNetwork",
                "ReveilleRuntime", "ReveilleSending", "ReveilleTLS", "ReveilleTelemetry",
            ]),
        .target(
            name: "ReveilleWebPush",
            dependencies: [
                "ReveilleBytes", "ReveilleCore", "ReveilleCrypto", "ReveilleEndpoints", "ReveilleHTTP2", "ReveilleJSON",
                "ReveilleNetwork", "ReveilleRuntime", "ReveilleSending", "ReveilleTLS", "ReveilleTelemetry",
            ]),
        .target(
            name: "ReveilleStorageSQLite",
            dependencies: [
                "CLinux", "ReveilleBytes", "ReveilleCore", "ReveilleCrypto", "ReveilleRuntime",
                "ReveilleSQLite", "ReveilleStorage", "ReveilleTelemetry",
            ]),

        // Floor 7: what the home server does.
        .target(
            name: "ReveilleInbox",
            dependencies: [
                "ReveilleBytes", "ReveilleCore", "ReveilleCrypto", "ReveilleEndpoints", "ReveilleRuntime",
                "ReveilleStorage", "ReveilleTelemetry", "ReveilleWebPush",
            ]),
        .target(
            name: "ReveilleDispatcher",
            dependencies: [
                "ReveilleBytes", "ReveilleCore", "ReveilleRuntime", "ReveilleStorage",
                "ReveilleTelemetry",
            ]),

        // Floor 8: faces to the outside.
        .target(
            name: "ReveilleHomeAPI",
            dependencies: [
                "ReveilleBytes", "ReveilleCore", "ReveilleEndpoints", "ReveilleInbox", "ReveilleJSON",
                "ReveilleNetwork", "ReveilleRuntime", "ReveilleTelemetry",
            ]),
        .target(
            name: "ReveilleEmulator",
            dependencies: [
                "ReveilleBytes", "ReveilleCrypto", "ReveilleHTTP2", "ReveilleJSON", "ReveilleNetwork",
                "ReveilleRuntime", "ReveilleTLS", "ReveilleTelemetry",
            ]),

        // Floors 9 and 10: commands, settings and wiring; the program.
        .target(
            name: "ReveilleCommands",
            dependencies: [
                "CLinux", "ReveilleAPNs", "ReveilleBytes", "ReveilleCore", "ReveilleCrypto",
                "ReveilleDispatcher", "ReveilleEmulator", "ReveilleEndpoints", "ReveilleHTTP1",
                "ReveilleHTTP2",
                "ReveilleHomeAPI", "ReveilleInbox", "ReveilleJSON", "ReveilleNetwork",
                "ReveilleRuntime", "ReveilleSQLite", "ReveilleSending", "ReveilleStorage", "ReveilleStorageSQLite",
                "ReveilleTLS", "ReveilleTelemetry", "ReveilleWebPush",
            ]),
        .executableTarget(
            name: "reveille", dependencies: ["ReveilleCommands"],
            // The program brings Swift's runtime along, so that it runs where no toolchain is, and calls into it directly. Not
            // under a sanitizer: only the shared runtime tells it of what one task hands to the next.
            linkerSettings: [
                .unsafeFlags(
                    (Context.environment["SWIFT_RUNTIME"] != "shared" ? ["-static-stdlib"] : [])
                        + ["-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "-z", "-Xlinker", "relro"])
            ]),

        // What tests share.
        .target(
            name: "ReveilleTesting",
            dependencies: ["ReveilleBytes", "ReveilleRuntime", "ReveilleTelemetry"],
            path: "Tests/ReveilleTesting"),
        .target(
            name: "ReportedCases", path: "Tests/ReportedCases", exclude: ["cases.tsv"], resources: [.copy("Cases")]),
        .target(name: "RawHTTP", path: "Tests/RawHTTP"),
        .target(
            name: "RawSockets",
            dependencies: [
                "RawHTTP", "ReveilleBytes", "ReveilleHTTP1", "ReveilleNetwork", "ReveilleRuntime", "ReveilleTLS",
                "ReveilleTesting",
            ], path: "Tests/RawSockets"),
        .target(
            name: "LaneTesting",
            dependencies: [
                "ReveilleCore", "ReveilleCrypto", "ReveilleNetwork", "ReveilleRuntime", "ReveilleTLS",
                "ReveilleTelemetry", "ReveilleTesting",
            ], path: "Tests/LaneTesting"),
        .target(
            name: "ReaderFuzzing",
            dependencies: [
                "RawHTTP", "ReveilleBytes", "ReveilleCrypto", "ReveilleHTTP1", "ReveilleHTTP2", "ReveilleJSON",
                "ReveilleRuntime",
            ], path: "Tests/ReaderFuzzing"),
        .target(
            name: "PrivacyAudit",
            dependencies: ["COpenSSL", "ReveilleBytes", "ReveilleCore", "ReveilleRuntime"],
            path: "Tests/PrivacyAudit"),
        .target(
            name: "StorageConformance",
            dependencies: [
                "ReveilleBytes", "ReveilleCore", "ReveilleCrypto", "ReveilleRuntime",
                "ReveilleStorage", "ReveilleTesting",
            ], path: "Tests/StorageConformance"),

        .testTarget(
            name: "ReveilleBytesTests",
            dependencies: ["ReveilleBytes", "ReveilleJSON", "ReveilleRuntime", "ReveilleTesting"],
            resources: [.copy("Vectors")]),
        .testTarget(
            name: "ReveilleJSONTests",
            dependencies: ["ReveilleBytes", "ReveilleJSON", "ReveilleRuntime", "ReveilleTesting"],
            resources: [.copy("Vectors")]),
        .testTarget(
            name: "ReveilleRuntimeTests",
            dependencies: ["ReveilleRuntime", "ReveilleTelemetry", "ReveilleTesting"]),
        .testTarget(
            name: "ReveilleCryptoTests",
            dependencies: ["ReportedCases", "ReveilleBytes", "ReveilleCrypto", "ReveilleJSON"],
            resources: [.copy("Vectors")]),
        .testTarget(
            name: "ReveilleEndpointsTests",
            dependencies: ["ReveilleEndpoints", "ReveilleNetwork", "ReveilleRuntime", "ReveilleTesting"],
            resources: [.copy("Vectors")]),
        .testTarget(
            name: "ReveilleSendingTests",
            dependencies: [
                "LaneTesting", "ReveilleCore", "ReveilleHTTP2", "ReveilleNetwork", "ReveilleRuntime", "ReveilleSending",
                "ReveilleTLS", "ReveilleTelemetry", "ReveilleTesting",
            ]),
        .testTarget(
            name: "ReveilleFCMTests",
            dependencies: [
                "LaneTesting", "RawHTTP", "RawSockets", "ReportedCases", "ReveilleBytes", "ReveilleCore",
                "ReveilleCrypto", "ReveilleFCM", "ReveilleJSON", "ReveilleNetwork", "ReveilleRuntime",
                "ReveilleSending", "ReveilleTLS", "ReveilleTelemetry", "ReveilleTesting",
            ], resources: [.copy("Vectors")]),
        .testTarget(
            name: "ReveilleWebSocketTests",
            dependencies: ["ReveilleBytes", "ReveilleJSON", "ReveilleWebSocket"], resources: [.copy("Vectors")]),
        .testTarget(
            name: "ReveilleWebPushTests",
            dependencies: [
                "LaneTesting", "ReveilleBytes", "ReveilleCore", "ReveilleCrypto", "ReveilleEndpoints", "ReveilleJSON",
                "RawHTTP", "ReveilleNetwork", "ReveilleRuntime", "ReveilleSending", "ReveilleTLS", "ReveilleTelemetry",
                "ReveilleTesting", "ReveilleWebPush",
            ],
            resources: [.copy("Vectors")]),
        .testTarget(
            name: "ReveilleTLSTests",
            dependencies: ["ReveilleBytes", "ReveilleCrypto", "ReveilleTLS"]),
        .testTarget(
            name: "ReveilleHTTP1Tests",
            dependencies: ["RawHTTP", "ReaderFuzzing", "ReveilleBytes", "ReveilleHTTP1"]),
        .testTarget(
            name: "ReveilleHTTP2Tests", dependencies: ["RawHTTP", "ReveilleBytes", "ReveilleHTTP2"]
        ),
        .testTarget(
            name: "ReaderFuzzingTests",
            dependencies: ["ReaderFuzzing", "ReveilleRuntime", "ReveilleTesting"], resources: [.copy("Corpus")]),
        .testTarget(
            name: "ReveilleNetworkTests",
            dependencies: [
                "RawHTTP", "RawSockets", "ReveilleBytes", "ReveilleCrypto", "ReveilleHTTP1", "ReveilleHTTP2",
                "ReveilleJSON", "ReveilleNetwork", "ReveilleRuntime", "ReveilleTLS", "ReveilleTelemetry",
                "ReveilleTesting",
            ]),
        .testTarget(
            name: "ReveilleCoreTests",
            dependencies: [
                "ReportedCases", "ReveilleBytes", "ReveilleCore", "ReveilleJSON", "ReveilleRuntime", "ReveilleTesting",
            ]),
        .testTarget(
            name: "ReveilleSQLiteTests",
            dependencies: ["ReveilleBytes", "ReveilleRuntime", "ReveilleSQLite", "ReveilleTesting"]),
        .testTarget(
            name: "ReveilleStorageTests",
            dependencies: [
                "ReveilleBytes", "ReveilleCore", "ReveilleCrypto", "ReveilleRuntime",
                "ReveilleSQLite", "ReveilleStorage", "ReveilleStorageSQLite", "ReveilleTelemetry", "ReveilleTesting",
                "StorageConformance",
            ]),
        .testTarget(
            name: "ReveilleAPNsTests",
            dependencies: [
                "RawHTTP", "RawSockets", "ReportedCases", "ReveilleAPNs", "ReveilleBytes", "ReveilleCore",
                "ReveilleCrypto",
                "ReveilleEmulator", "ReveilleHTTP2", "ReveilleJSON", "ReveilleNetwork",
                "ReveilleRuntime", "ReveilleSending", "ReveilleTLS", "ReveilleTelemetry", "ReveilleTesting",
            ]),
        .testTarget(
            name: "ReveilleDispatcherTests",
            dependencies: [
                "ReportedCases", "ReveilleBytes", "ReveilleCore", "ReveilleCrypto", "ReveilleDispatcher",
                "ReveilleJSON",
                "ReveilleRuntime", "ReveilleStorage", "ReveilleStorageSQLite", "ReveilleTelemetry",
                "ReveilleTesting",
            ]),
        .testTarget(
            name: "ReveilleEmulatorTests",
            dependencies: [
                "RawSockets", "ReveilleBytes", "ReveilleCrypto", "ReveilleEmulator", "ReveilleHTTP2",
                "ReveilleJSON", "ReveilleNetwork", "ReveilleRuntime", "ReveilleTLS",
                "ReveilleTelemetry", "ReveilleTesting",
            ],
            resources: [.copy("Vectors")]),
        .testTarget(
            name: "ReveilleHomeAPITests",
            dependencies: [
                "RawHTTP", "RawSockets", "ReportedCases", "ReveilleBytes", "ReveilleCore", "ReveilleCrypto",
                "ReveilleEndpoints", "ReveilleHTTP1",
                "ReveilleHTTP2", "ReveilleHomeAPI", "ReveilleInbox", "ReveilleJSON", "ReveilleNetwork",
                "ReveilleRuntime", "ReveilleStorage", "ReveilleStorageSQLite", "ReveilleTelemetry",
                "ReveilleTesting",
            ]),
        .testTarget(
            name: "ReveilleCommandsTests",
            dependencies: [
                "ReveilleAPNs", "ReveilleBytes", "ReveilleCommands", "ReveilleCore", "ReveilleCrypto",
                "ReveilleEmulator", "ReveilleHTTP2", "ReveilleJSON", "ReveilleNetwork", "ReveilleRuntime",
                "ReveilleStorage", "ReveilleStorageSQLite",
                "ReveilleTLS", "ReveilleTelemetry", "ReveilleTesting",
            ]),
        .testTarget(
            name: "JourneysTests",
            dependencies: [
                "ReveilleAPNs", "ReveilleBytes", "ReveilleCommands", "ReveilleCore",
                "ReveilleCrypto", "ReveilleDispatcher", "ReveilleEmulator", "ReveilleEndpoints", "ReveilleHomeAPI",
                "ReveilleHTTP2", "ReveilleInbox", "ReveilleJSON", "ReveilleNetwork", "ReveilleRuntime",
                "ReveilleSQLite", "ReveilleSending", "ReveilleStorage", "ReveilleStorageSQLite", "ReveilleTLS",
                "ReveilleTelemetry", "ReveilleTesting",
            ]),
        .testTarget(
            name: "PrivacyTests",
            dependencies: [
                "PrivacyAudit", "RawHTTP", "ReveilleBytes", "ReveilleCommands", "ReveilleCore", "ReveilleCrypto",
                "ReveilleEmulator", "ReveilleHomeAPI", "ReveilleJSON", "ReveilleNetwork", "ReveilleRuntime",
                "ReveilleSQLite", "ReveilleStorage", "ReveilleStorageSQLite", "ReveilleTLS", "ReveilleTelemetry",
                "ReveilleTesting",
            ]),
        .testTarget(
            name: "ArchitectureTests", dependencies: ["ReveilleBytes", "ReveilleJSON"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && target.name != "CLinux" {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .enableUpcomingFeature("InferIsolatedConformances"),
            .enableUpcomingFeature("ImmutableWeakCaptures"),
            .treatAllWarnings(as: .error),
        ]
    // Optimising what tests say of the product costs minutes and proves nothing; but the audit searches megabytes, and the
    // properties of readers are checked for inputs by the million.
    if target.name == "PrivacyAudit" || target.name == "ReaderFuzzing" { continue }
    if target.path?.hasPrefix("Tests/") == true || target.type == .test {
        target.swiftSettings?.append(.unsafeFlags(["-Onone"]))
    }
}

// Programs for developers only, which no ordinary build contains.
if Context.environment["REVEILLE_EXTRAS"] != nil {
    package.targets += [
        .executableTarget(
            name: "http-server-benchmark",
            dependencies: ["ReveilleNetwork", "ReveilleRuntime", "ReveilleTelemetry"],
            path: "Benchmarks/HTTPServer",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ])
    ]
}

// The fuzzer needs a build that is instrumented for it: see scripts/fuzz.
if Context.environment["REVEILLE_FUZZ"] != nil {
    package.targets.removeAll { $0.type == .test }
    package.targets += [
        .executableTarget(
            name: "reveille-fuzz", dependencies: ["ReaderFuzzing"], path: "Fuzz/reveille-fuzz",
            // The fuzzer's library brings the main function.
            swiftSettings: [.unsafeFlags(["-parse-as-library"])])
    ]
}
