import SignetTestSupport
import Testing
import TextBridge

@Suite("Forms of passwords")
struct SASLprepTests {
    private func prepare(_ text: String) throws -> SASLprep.Outcome? {
        let outcome = SASLprep.prepare(Array(text.utf8))
        guard outcome == .libraryMissing else { return outcome }
        struct Missing: Error { let library: String }
        if CommandRunner.toolsAreRequired { throw Missing(library: SASLprep.missingLibrary) }
        print("SKIPPED: \(SASLprep.missingLibrary) is not installed")
        return nil
    }

    @Test(
        "characters become the ones that count (RFC 4013 §3)",
        arguments: [
            ("I\u{AD}X", "IX"), ("user", "user"), ("USER", "USER"), ("\u{AA}", "a"),
            ("\u{2168}", "IX"), ("a\u{3000}b", "a b"), ("\u{2008}\u{200B}", "  "),
            ("e\u{301}", "\u{E9}"), ("\u{FEFB}", "\u{644}\u{627}"), ("\u{30AE}", "\u{30AE}"),
            ("\u{30AD}\u{3099}", "\u{30AE}"), ("\u{FF11}\u{FF76}", "1\u{30AB}"),
            ("\u{9C7}\u{9BE}", "\u{9CB}"), ("\u{1F600}", "\u{1F600}"),
        ])
    func normalForms(text: String, prepared: String) throws {
        guard let outcome = try prepare(text) else { return }
        #expect(outcome == .prepared(Array(prepared.utf8)))
    }

    @Test(
        "what no password may hold is told apart",
        arguments: ["\u{7}", "\u{627}1", "\u{E000}", "a\0b"])
    func unsuitable(text: String) throws {
        guard let outcome = try prepare(text) else { return }
        #expect(outcome == .unsuitable)
    }

    @Test("bytes that are no text are unsuitable")
    func noText() throws {
        guard try prepare("a") != nil else { return }
        #expect(SASLprep.prepare([0xFF, 0xFE]) == .unsuitable)
    }
}
