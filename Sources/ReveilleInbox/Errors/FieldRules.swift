/// The rules of a request's fields for whoever takes the same values by another way: settings and commands.
///
/// They are the API's own: what one way refuses, the other refuses too.
package enum FieldRules {
    /// A profile's id among the recipients of a post, in a path, or in a command.
    ///
    /// It is a segment of paths: what no segment can be (RFC 3986 section 3.3; proxies take an encoded slash for a slash) could
    /// be posted to but never be given a token.
    package static func profileID(_ text: String, _ field: String = "profile_id") throws(InboxError) {
        try FieldRule.length(text, NotificationLimits.profileID, field)
        try FieldRule.line(text, field)
        guard !text.utf8.contains(UInt8(ascii: "/")), text != ".", text != ".." else {
            throw .invalid(field, "must not contain '/' or be '.' or '..'")
        }
    }

    /// A category's name.
    package static func category(_ text: String) throws(InboxError) {
        try FieldRule.length(text, NotificationLimits.category, "category")
        try FieldRule.line(text, "category")
    }

    /// A whole notification, with the lengths that the API demands where it reads the body.
    package static func notification(_ draft: NotificationDraft) throws(InboxError) {
        try draft.check()
        guard draft.title.utf8.count <= NotificationLimits.title else {
            throw .invalid("title", "must not be longer than 1024 octets")
        }
        guard draft.body.utf8.count <= NotificationLimits.body else {
            throw .invalid("body", "must not be longer than 16384 octets")
        }
    }
}
