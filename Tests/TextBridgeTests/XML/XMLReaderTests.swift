import Base
import Testing
import TextBridge

/// Writes down what it is told.
private final class Recorder: XMLHandler {
    var events: [String] = []
    let forbidden: String?

    init(forbidden: String? = nil) { self.forbidden = forbidden }

    func start(_ element: XMLElement) throws(XMLError) {
        if element.name.local == forbidden { throw XMLError(.unexpected, "not this one") }
        let attributes = element.attributes.map {
            "\($0.name.namespace)|\($0.name.local)=\($0.value)"
        }
        events.append(
            (["<\(element.name.namespace)|\(element.name.local)"] + attributes.sorted())
                .joined(separator: " "))
    }

    func text(_ text: String) { events.append(text) }
    func end() { events.append(">") }
}

struct XMLReaderTests {
    private func events(_ document: String) throws -> [String] {
        let recorder = Recorder()
        try XMLReader.read(Array(document.utf8), into: recorder)
        return recorder.events
    }

    @Test func tellsElementsNamespacesAttributesAndText() throws {
        let events = try events(
            """
            <?xml version="1.0"?><a xmlns="urn:x" xmlns:y="urn:y" k="1 &lt; 2" y:k="é"><y:b/>\
            P&#345;íliš <![CDATA[<žluťoučký>]]> kůň<!-- no --></a>
            """)
        #expect(
            events == [
                "<urn:x|a urn:y|k=é |k=1 < 2", "<urn:y|b", ">", "Příliš <žluťoučký> kůň", ">",
            ])
    }

    @Test func readsOtherEncodings() throws {
        let recorder = Recorder()
        let text = "\u{FEFF}<a>šťáva</a>"
        try XMLReader.read(
            text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, into: recorder)
        #expect(recorder.events == ["<|a", "šťáva", ">"])
    }

    @Test(arguments: [
        "<!DOCTYPE a><a/>",
        #"<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>"#,
        #"<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>"#,
    ]) func refusesDocumentTypes(document: String) {
        #expect(throws: XMLError(.declarationRefused, "")) { try events(document) }
    }

    @Test(arguments: [
        "", "<a>", "<a></b>", "<a/><b/>", "<a k=1/>", "<a>&x;</a>", "<y:a/>", "<a>\u{1}</a>",
    ])
    func refusesMalformedDocuments(document: String) {
        #expect(throws: XMLError(.malformed, "")) { try events(document) }
    }

    @Test func saysWhichLineIsWrong() {
        let error = #expect(throws: XMLError(.malformed, "")) { try events("<a>\n\n</b>") }
        #expect(error?.detail.hasSuffix(" (line 3)") == true)
    }

    @Test func handlerEndsTheReading() {
        let recorder = Recorder(forbidden: "b")
        #expect(throws: XMLError(.unexpected, "")) {
            try XMLReader.read(Array("<a><b/><c/></a>".utf8), into: recorder)
        }
    }

    @Test func boundsDepthAttributesElementsAndSize() throws {
        let deepest = XMLLimits.depth
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        func attributes(_ count: Int) -> String {
            "<a " + (0..<count).map { "k\($0)=\"\"" }.joined(separator: " ") + "/>"
        }
        _ = try events(nested(deepest))
        _ = try events(attributes(XMLLimits.attributeCount))
        let tooMany = String(repeating: "<a/>", count: XMLLimits.elementCount)
        for document in [
            nested(deepest + 1), attributes(XMLLimits.attributeCount + 1), "<b>\(tooMany)</b>",
        ] { #expect(throws: XMLError(.limitExceeded, "")) { try events(document) } }
        let recorder = Recorder()
        #expect(throws: XMLError(.limitExceeded, "")) {
            try XMLReader.read(Array("<a>12</a>".utf8), byteLimit: 8, into: recorder)
        }
    }
}
