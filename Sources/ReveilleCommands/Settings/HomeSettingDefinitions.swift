/// The table of the home server's settings, in the order that the help and the documents show.
package enum HomeSettingDefinitions {
    package static let listen = SettingDefinition(
        "listen", "ADDRESS:PORT", default: "127.0.0.1:7780",
        help: "where the API listens; IPv6 addresses stand in brackets")
    package static let tlsCertificate = SettingDefinition(
        "tls-certificate", "FILE",
        help: "PEM file with the server's certificate chain; without it the API speaks plain HTTP")
    package static let tlsKey = SettingDefinition(
        "tls-key", "FILE", help: "PEM file with the private key of the certificate")
    package static let dataFolder = SettingDefinition(
        "data", "FOLDER", default: "/var/lib/reveille", help: "where the database lives")
    package static let masterKeyFile = SettingDefinition(
        "master-key-file", "FILE",
        help: "file of the master key, outside the data folder; made for an empty store. Without it "
            + "the systemd credential 'reveille-master-key' is used")
    package static let masterKey = SettingDefinition(
        "master-key", "KEY", isSecret: true,
        help: "the master key itself, 64 hexadecimal digits, for places without files")
    package static let applePush = SettingDefinition(
        "apple-push", "off|custom_apns", default: "off",
        help: "how Apple devices are woken: not at all, or with an APNs key of your own")
    package static let apnsTeamID = SettingDefinition(
        "apns-team-id", "ID", aliases: ["APPLE_TEAM_ID"],
        help: "team id of the Apple developer account, 10 characters")
    package static let apnsKeyID = SettingDefinition(
        "apns-key-id", "ID", aliases: ["APPLE_KEY_ID"], help: "key id of the APNs key, 10 characters")
    package static let apnsKeyFile = SettingDefinition(
        "apns-key-file", "FILE", aliases: ["APPLE_KEY_PATH"],
        help: "the .p8 file of the APNs key; closed to other users")
    package static let apnsKey = SettingDefinition(
        "apns-key", "KEY", isSecret: true,
        help: "the text of the .p8 file, for places without files")
    package static let apps = SettingDefinition(
        "apps", "LIST", aliases: ["APNS_BUNDLE_ID"],
        help: "the apps that may be woken, comma-separated: bundle ids, packages and origins, as 'name' or "
            + "'name=shape'; shapes are reveille, silo, silo_shipped and mail; '+shared' after the shape lets several "
            + "profiles share one installation, '+unproven' wakes subscriptions that never returned a code")
    package static let visibleCategories = SettingDefinition(
        "visible-categories", "LIST", default: "",
        help: "the categories whose notifications may show an alert, comma-separated; all others "
            + "are silent")
    package static let apnsProduction = SettingDefinition(
        "apns-production", "true|false", aliases: ["APNS_PRODUCTION"],
        help: "taken from the settings of other servers and checked; it decides nothing, since each device "
            + "registers with the environment of its app")
    package static let apnsProductionURL = SettingDefinition(
        "apns-production-url", "URL", default: "https://api.push.apple.com",
        help: "APNs for apps from the App Store and TestFlight, or an emulator")
    package static let apnsSandboxURL = SettingDefinition(
        "apns-sandbox-url", "URL", default: "https://api.sandbox.push.apple.com",
        help: "APNs for development builds, or an emulator")
    package static let apnsAuthorityFile = SettingDefinition(
        "apns-ca-file", "FILE", help: "an additional certificate authority to trust, for an emulator")
    package static let apnsConnections = SettingDefinition(
        "apns-connections", "N", default: "2",
        help: "the most connections to each APNs environment for devices woken before; one more serves the rest")
    package static let leaseSeconds = SettingDefinition(
        "lease-seconds", "N", default: "60",
        help: "how long a wake stays in the hands of one process without renewal")
    package static let devicesPerProfile = SettingDefinition(
        "devices-per-profile", "N", default: "50", help: "the most devices of one profile")
    package static let postsPerSecond = SettingDefinition(
        "posts-per-second", "N", default: "0",
        help: "the most notifications a producer may post in a second on average; 0: no limit")
    package static let allowedOrigins = SettingDefinition(
        "allowed-origins", "LIST", default: "",
        help: "web origins whose scripts may call the API, such as https://app.example.org, comma-separated")
    package static let threads = SettingDefinition(
        "threads", "N", default: "2", help: "event loops: threads that serve connections")
    package static let drainSeconds = SettingDefinition(
        "drain-seconds", "N", default: "10",
        help: "how long a stop waits for requests and sends in flight")
    package static let logLevel = SettingDefinition(
        "log-level", "LEVEL", default: "info", help: "debug, info, notice, warning or error")
    package static let keepAccepted = SettingDefinition(
        "keep-accepted-days", "N", default: "14", help: "how long accepted wakes are kept")
    package static let keepFailed = SettingDefinition(
        "keep-failed-days", "N", default: "90", help: "how long failed wakes are kept")
    package static let keepRead = SettingDefinition(
        "keep-read-days", "N", default: "90", help: "how long read deliveries are kept")
    package static let keepUnread = SettingDefinition(
        "keep-unread-days", "N", default: "180", help: "how long unread deliveries are kept")
    package static let environmentFile = SettingDefinition(
        "env-file", "FILE",
        help: "a file of NAME=value lines; flags and variables come before it")

    /// Settings that open the store, shared by every command that works on it.
    package static let store = [dataFolder, masterKeyFile, masterKey, environmentFile]

    /// All settings.
    package static let all = [
        listen, tlsCertificate, tlsKey, dataFolder, masterKeyFile, masterKey, applePush, apnsTeamID,
        apnsKeyID, apnsKeyFile, apnsKey, apps, visibleCategories, apnsProduction, apnsProductionURL, apnsSandboxURL,
        apnsAuthorityFile, apnsConnections, leaseSeconds, devicesPerProfile, postsPerSecond, allowedOrigins, threads,
        drainSeconds, logLevel, keepAccepted, keepFailed, keepRead, keepUnread, environmentFile,
    ]
}

extension HomeSettingDefinitions {
    /// The options of commands that work on the store.
    static var storeOptions: [Option] { store.filter { !$0.isSecret }.map(\.option) }
}
