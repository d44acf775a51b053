/// The push services of browsers: where a Web Push subscription may point to without an entry of the operator.
enum PushServices {
    static let hosts: Set<String> = [
        "android.googleapis.com", "fcm.googleapis.com",
        // Chromium built without Google's keys.
        "jmt17.google.com",
        "updates.push.services.mozilla.com", "web.push.apple.com",
    ]

    /// At least one label stands before these.
    static let suffixes = [".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com"]

    static func contain(_ name: String) -> Bool {
        if hosts.contains(name) { return true }
        guard let suffix = suffixes.first(where: { name.hasSuffix($0) && name.count > $0.count }) else { return false }
        // The hosts of APNs itself are Apple's interface for servers, not a browser's.
        return suffix != ".push.apple.com" || !name.hasPrefix("api")
    }
}
