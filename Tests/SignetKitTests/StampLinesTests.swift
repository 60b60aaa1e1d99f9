import SignetTestSupport
import Testing

@testable import SignetKit

@Suite struct StampLinesTests {
    @Test(
        "titles are no part of the initials",
        arguments: [
            ("Ing. Jiří Dvořák", "JD"), ("doc. Ing. Jana Nová-Malá, Ph.D.", "JNM"),
            ("J. R. Tolkien", "JRT"), ("J.R.R. Tolkien", "JRRT"), ("Kennedy J.F.", "KJF"),
            ("Doe, John", "DJ"), ("van der Berg, Anna Maria", "VDBAM"),
            ("Anna Roe, PhD, MBA", "AR"),
            ("Müller", "M"), ("Dr.", "D"), ("", ""),
        ])
    func initials(name: String, expected: String) {
        #expect(StampLines.initials(of: name) == expected)
    }
}
