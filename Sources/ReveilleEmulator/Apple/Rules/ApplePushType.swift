/// The values of `apns-push-type`, with the rules that hang on them ("Sending notification requests to APNs").
package enum ApplePushType: String, Sendable, CaseIterable {
    case alert
    case background
    case location
    case voip
    case complication
    case fileprovider
    case mdm
    case liveactivity
    case pushtotalk
    case widgets
    case controls

    /// What follows the bundle ID in the topic.
    package var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .location: ".location-query"
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .pushtotalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        }
    }

    /// The largest payload in bytes ("Generating a remote notification").
    package var maximumPayloadBytes: Int {
        switch self {
        case .voip: 5120
        case .alert, .background, .location, .complication, .fileprovider, .mdm, .liveactivity,
            .pushtotalk, .widgets, .controls:
            AppleRules.maximumPayloadBytes
        }
    }
}
