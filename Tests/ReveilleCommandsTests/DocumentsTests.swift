import Foundation
import ReveilleCommands
import ReveilleEmulator
import Testing

@Suite("The pages for operators say what the program does")
struct DocumentsTests {
    /// The text of a page in `docs`.
    static func text(_ path: String) throws -> String {
        // The sources may be seen through a link; the documents stand beside where it points.
        let tests = URL(filePath: #filePath).deletingLastPathComponent().resolvingSymlinksInPath()
        return try String(contentsOf: tests.appending(path: "../../docs/\(path)").standardized, encoding: .utf8)
    }

    /// The sections of a page by their headings.
    private static func sections(_ text: String, _ mark: String) -> [String: String] {
        var sections: [String: String] = [:]
        for part in text.components(separatedBy: "\n" + mark).dropFirst() {
            let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            sections[String(lines[0])] = lines.count > 1 ? String(lines[1]) : ""
        }
        return sections
    }

    /// The long options that a text names.
    private static func options(in text: String) -> Set<String> {
        Set(text.matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
    }

    @Test("each command has a section with an example and its exit statuses, and no other has")
    func commands() throws {
        let sections = Self.sections(try Self.text("commands.md"), "## reveille ")
        #expect(Set(sections.keys) == Set(Program.commands.map { $0.path.joined(separator: " ") }))
        for (name, section) in sections {
            #expect(section.contains("$ reveille \(name)"), "'\(name)' has no example")
            #expect(section.contains("\nStatus: "), "'\(name)' names no exit status")
        }
    }

    @Test(
        "a section names each option of its command, and none that is not one", arguments: Program.commands.map(\.path))
    func options(path: [String]) throws {
        let command = try #require(Program.commands.first { $0.path == path })
        let section = try #require(
            Self.sections(try Self.text("commands.md"), "## reveille ")[path.joined(separator: " ")])
        var known = Set(command.options.map(\.name))
        // The settings of the server have a page of their own.
        let elsewhere = path == ["serve"] ? Set(HomeSettingDefinitions.all.map(\.flag)) : []
        #expect(known.subtracting(elsewhere).subtracting(Self.options(in: section)).isEmpty)
        known.insert("--help")
        #expect(Self.options(in: section).subtracting(known).isEmpty)
        for operand in command.operands { #expect(section.contains("`<\(operand.name)>`")) }
    }

    @Test("each exit status is explained")
    func statuses() throws {
        let page = try Self.text("commands.md")
        for status in ReveilleCommands.ExitStatus.allCases { #expect(page.contains("| \(status.rawValue) | ")) }
    }

    @Test("each setting has its row, with its default and meaning")
    func settings() throws {
        let page = try Self.text("operating/settings.md")
        for setting in HomeSettingDefinitions.all {
            let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `\(setting.variable)`") })
            #expect(row.contains(setting.isSecret ? "none: a secret" : "`\(setting.flag)`"))
            #expect(row.hasSuffix("| \(setting.help) |"), "\(setting.variable)")
            if let fallback = setting.fallback, !fallback.isEmpty { #expect(row.contains("`\(fallback)`")) }
            for alias in setting.aliases { #expect(row.contains("`\(alias)`")) }
        }
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `REVEILLE_") }
        #expect(rows.count == HomeSettingDefinitions.all.count)
    }

    @Test("each kind of fault and each path of the control interface is described, and no other")
    func emulator() throws {
        let sections = Self.sections(try Self.text("emulator.md"), "## ")
        let faults = try #require(sections["Faults"]).matches(of: /\n\| `([a-z_]+)` \|/).map { String($0.output.1) }
        #expect(Set(faults) == Set(AppleFault.kinds) && faults.count == AppleFault.kinds.count)
        let paths = try #require(sections["Control interface"]).matches(of: /(GET|POST|DELETE) \/([a-z]+)/)
        #expect(Set(paths.map { String($0.output.2) }) == Set(APNsEmulatorService.controlPaths))
    }

    @Test("so is each of the emulated push services")
    func pushServices() throws {
        let sections = Self.sections(try Self.text("emulator.md"), "## ")
        let faults = try #require(sections["Faults of push services"]).matches(of: /\n\| `([a-z_]+)` \|/)
        #expect(Set(faults.map { String($0.output.1) }) == Set(PushServiceFault.kinds))
        let paths = try #require(sections["Control of push services"]).matches(of: /(GET|POST|DELETE) \/([a-z]+)/)
        let known = FCMEmulator.controlPaths + WebPushEmulator.controlPaths + UnifiedPushEmulator.controlPaths
        #expect(Set(paths.map { String($0.output.2) }) == Set(known))
        let google = try #require(sections["Google"])
        for reason in GoogleReason.allCases { #expect(google.contains("`\(reason.rawValue)`")) }
        let webPush = try #require(sections["Web Push"])
        for refusal in WebPushRefusal.allCases { #expect(webPush.contains("`\(refusal.rawValue)`")) }
    }
}
