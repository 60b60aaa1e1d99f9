import SignetTestSupport
import Testing

@testable import SignetKit

@Suite struct StampLinesTests {
    @Test(
        "titles are no part of the initials",
        arguments: [
            ("Ing. Jiří Dvořák", "JD"), ("doc. Ing. Jana Nová-Malá, Ph.D.", "JNM"),
            ("J. R. Tolkien", "JRT"), ("Müller", "M"), ("Dr.", "D"), ("", ""),
        ])
    func initials(name: String, expected: String) {
        #expect(StampLines.initials(of: name) == expected)
    }
}
