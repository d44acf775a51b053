import ReveilleCommands
import Testing

@Suite("An environment file is read as systemd reads it")
struct EnvironmentFileTests {
    @Test(
        "lines give names and values",
        arguments: [
            ("A=1", "A", "1"), ("  A = 1 ", "A", "1"), ("A=", "A", ""), ("A=\"x y\"", "A", "x y"),
            ("A='x \\n y'", "A", "x \\n y"), ("A=\"x\\ny\"", "A", "x\ny"), ("A=\"q\\\"q\"", "A", "q\"q"),
            ("_A9=v", "_A9", "v"), ("A=b=c", "A", "b=c"), ("A=1\r", "A", "1"),
        ])
    func lines(text: String, name: String, value: String) throws {
        let entries = try EnvironmentFile.parse("# a remark\n\n; another\n" + text + "\n")
        #expect(entries.count == 1)
        #expect(entries.first?.name == name)
        #expect(entries.first?.value == value)
    }

    @Test(
        "a line that is none is named by its number",
        arguments: ["A", "1A=2", "A B=1", "=1", "A=\"open", "A='open", "A=\"x\\\""])
    func mistakes(text: String) {
        let problem = #expect(throws: EnvironmentFile.Problem.self) {
            try EnvironmentFile.parse("OK=1\n" + text)
        }
        #expect(problem?.line == 2)
    }
}
