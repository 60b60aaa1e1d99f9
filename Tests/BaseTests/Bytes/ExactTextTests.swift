import Base
import Testing

struct ExactTextTests {
    /// Equal to `String`, and still different names.
    @Test(arguments: [
        ("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{C5}", "\u{212B}"),
        ("a\u{323}\u{307}", "a\u{307}\u{323}"), ("\u{AC00}", "\u{1100}\u{1161}"),
    ])
    func equivalentTextsDiffer(one: String, other: String) {
        #expect(one == other)
        #expect(ExactText(one) != ExactText(other))
        #expect(!one.isExactly(other))
        #expect(Set([ExactText(one), ExactText(other)]).count == 2)
        #expect((ExactText(one) < ExactText(other)) != (ExactText(other) < ExactText(one)))
        #expect(!ExactText(one + "/x").hasPrefix(other))
        #expect(!ExactText("x/" + one).hasSuffix(other))
    }

    @Test func equalTextsAreEqual() {
        let parts = ["a long name that takes memory of its own ", "é"]
        let (one, other) = (ExactText(parts[0] + parts[1]), ExactText(parts.joined()))
        #expect(one == other && one.hashValue == other.hashValue && !(one < other))
    }

    /// A combining mark joins what is before it to `Character`, not to names.
    @Test func dividesBeforeCombiningMarks() {
        let name = ExactText("form.\u{301}field..x")
        #expect(name.parts(separator: ".") == ["form", "\u{301}field", "", "x"])
        #expect(name.parts(separator: ".", most: 1) == ["form", "\u{301}field..x"])
        #expect(ExactText("").parts(separator: ".") == [""])
        #expect(name.isBelow("form", separator: "."))
        #expect(!name.isBelow("for", separator: "."))
        #expect(!ExactText("form").isBelow("form", separator: "."))
        #expect(name.hasPrefix("form.") && name.hasSuffix(".x") && !name.hasSuffix("form.x"))
    }
}
