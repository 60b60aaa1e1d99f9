import Base
import CMSKit
import Testing

@testable import KeyBridge

@Suite("Answers of signing services")
struct JSONValueTests {
    @Test("what is JSON is read")
    func reads() throws {
        let json = try JSONValue(
            parsing: Array(
                #" {"a":[1,-2.5e+3,"x\u00e9\ud83d\ude00\n",true,null],"b":{"c":"7"},"é":false} "#
                    .utf8))
        #expect(
            json["a"]?.list
                == [.number("1"), .number("-2.5e+3"), .string("xé😀\n"), .bool(true), .null])
        #expect(json["b"]?["c"]?.integer == 7 && json["é"]?.truth == false)
        #expect(json["a"]?.texts == nil && json["d"] == nil)
    }

    @Test(
        "what is none is refused",
        arguments: [
            "", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "01", "+1", "1.", ".5", "1e",
            "\"\\x\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"a", "\"\u{1}\"", "tru", "[] []",
            "{a:1}", "'a'", "\u{FEFF}{}", "\"\\u12\"", "-", "nul",
        ])
    func refuses(text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
    }

    @Test("bytes that are no text are refused, and so is what is too deep")
    func limits() {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
        for (depth, isRead) in [(JSONValue.depthLimit, true), (JSONValue.depthLimit + 1, false)] {
            let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            // The innermost list holds nothing.
            #expect(((try? JSONValue(parsing: Array(text.utf8))) != nil) == isRead, "\(depth)")
        }
    }
}

@Suite("Names of keys at signing services")
struct ServiceURITests {
    @Test(
        "are read and written the same",
        arguments: [
            ("csc:https://host/csc/v2", "https://host/csc/v2", nil),
            ("CSC:https://host/csc/v1/?credential=a", "https://host/csc/v1", "a"),
            ("csc:https://host?credential=a%20b%25%26/=é", "https://host", "a b%&/=é"),
        ])
    func reads(text: String, base: String, credential: String?) throws {
        let uri = try ServiceURI(text)
        #expect(uri.base == base && uri.credential == credential)
        #expect(uri.version == (text.contains("v1") ? .v1 : text.contains("v2") ? .v2 : nil))
        #expect(try ServiceURI(uri.text) == uri)
    }

    @Test(
        "that are none are refused",
        arguments: [
            "csc", "https://host", "csc:https://host?x=1", "csc:https://host?credential=",
            "csc:https://host?credential=%0a", "csc:https://host?credential=%f", "csc:a b",
            "csc:https://host?credential=a&credential=b", "csc:https://host#a",
        ])
    func refuses(text: String) {
        #expect(throws: SigningFailure(.usage, "")) { try ServiceURI(text) }
    }
}
