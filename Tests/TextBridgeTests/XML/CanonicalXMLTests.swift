import Base
import Testing
import TextBridge

struct CanonicalXMLTests {
    private let omitted = XMLName("Signature", namespace: "urn:s")

    private func canonical(
        _ document: String, parts: [CanonicalXML.Part] = []
    ) throws -> CanonicalXML {
        try CanonicalXML(of: Array(document.utf8), omitting: omitted, parts: parts)
    }

    private func text(_ document: String) throws -> String {
        String(decoding: try canonical(document).document.octets, as: UTF8.self)
    }

    @Test(arguments: [
        // Attributes by namespace, then name; declarations first, by prefix.
        (
            #"<a xmlns:z="urn:1" xmlns:b="urn:2" z:k="1" b:k="2" y="3" x="4"/>"#,
            #"<a xmlns:b="urn:2" xmlns:z="urn:1" x="4" y="3" z:k="1" b:k="2"></a>"#
        ),
        // Only what is used, where it is used first, and again beside it.
        (
            #"<a xmlns="urn:a" xmlns:b="urn:b"><b:c><b:d/></b:c><b:c/></a>"#,
            ##"<a xmlns="urn:a"><b:c xmlns:b="urn:b"><b:d></b:d></b:c><b:c xmlns:b="urn:b"></b:c></a>"##
        ),
        // A default namespace is taken back only where one was in force.
        (
            #"<p:a xmlns:p="urn:p" xmlns="urn:a"><b xmlns=""/><c><d xmlns=""><e/></d></c></p:a>"#,
            ##"<p:a xmlns:p="urn:p"><b></b><c xmlns="urn:a"><d xmlns=""><e></e></d></c></p:a>"##
        ),
        // A prefix that changes its meaning.
        (
            #"<p:a xmlns:p="urn:1"><p:a xmlns:p="urn:2"><p:a xmlns:p="urn:1"/></p:a><p:a/></p:a>"#,
            ##"<p:a xmlns:p="urn:1"><p:a xmlns:p="urn:2"><p:a xmlns:p="urn:1"></p:a></p:a><p:a></p:a></p:a>"##
        ),
        (
            "<a b='&quot;&#9;&#10;&#13;&lt;>&amp;&apos;'>&quot;&#9;&#13;&gt;&amp;'<![CDATA[<]]></a>",
            "<a b=\"&quot;&#x9;&#xA;&#xD;&lt;>&amp;'\">\"\t&#xD;&gt;&amp;'&lt;</a>"
        ), ("<?xml version='1.0'?>\r\n<a><!-- x -->\r\n<b/></a>\n<!-- y -->", "<a>\n<b></b></a>"),
        (
            #"<a xml:lang="cs" xmlns:xml="http://www.w3.org/XML/1998/namespace"/>"#,
            #"<a xml:lang="cs"></a>"#
        ),
        // What stands before and behind the signature stays.
        (#"<a>1<s:Signature xmlns:s="urn:s"><x/></s:Signature>2</a>"#, "<a>12</a>"),
    ])
    func writesTheCanonicalForm(document: String, form: String) throws {
        #expect(try text(document) == form)
        // It is its own canonical form.
        #expect(try text(form) == form)
    }

    @Test func takesPartsOut() throws {
        let path = [omitted, XMLName("p", namespace: "urn:p")]
        let found = try canonical(
            """
            <a xmlns="urn:a" xmlns:u="urn:u"><s:Signature xmlns:s="urn:s"><p xmlns="urn:p" Id="i">\
            <q xmlns:v="urn:v"/></p></s:Signature></a>
            """, parts: [.init(path), .init(path, .inclusive), .init([XMLName("none")])])
        let texts = found.parts.map { $0.map { String(decoding: $0.octets, as: UTF8.self) } }
        #expect(texts[0] == #"<p xmlns="urn:p" Id="i"><q></q></p>"#)
        #expect(
            texts[1]
                == ##"<p xmlns="urn:p" xmlns:s="urn:s" xmlns:u="urn:u" Id="i"><q xmlns:v="urn:v"></q></p>"##
        )
        #expect(texts[2] == nil)
        #expect(found.parts[0]?.id == "i")
        #expect(String(decoding: found.document.octets, as: UTF8.self) == #"<a xmlns="urn:a"></a>"#)
    }

    @Test(arguments: [
        (#"<a><!DOCTYPE a></a>"#, XMLError.Code.malformed),
        ("<!DOCTYPE a><a/>", .declarationRefused),
        (#"<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>"#, .declarationRefused),
        ("<a><?php x?></a>", .declarationRefused),
        (#"<a Id="1"><b Id="1"/></a>"#, .unexpected),
        ("<p:a/>", .malformed), ("<a p:b='1'/>", .malformed),
        (#"<a xmlns:p="urn:1" xmlns:q="urn:1" p:k="1" q:k="2"/>"#, .malformed),
        (#"<a xmlns:p=""/>"#, .malformed), (#"<a xmlns:xml="urn:x"/>"#, .malformed),
        (#"<a:b:c xmlns:a="urn:a"/>"#, .malformed),
        (#"<a><b><s:Signature xmlns:s="urn:s"/></b></a>"#, .unexpected),
        (#"<a><Signature xmlns="urn:s"/><Signature xmlns="urn:s"/></a>"#, .unexpected),
        (#"<Signature xmlns="urn:s"/>"#, .unexpected),
    ])
    func refuses(document: String, code: XMLError.Code) {
        #expect(throws: XMLError(code, "")) { try canonical(document) }
    }

    @Test func refusesXMLAttributesAboveInclusiveParts() {
        let document = #"<a xml:lang="en"><Signature xmlns="urn:s"><p/></Signature></a>"#
        let path = [omitted, XMLName("p", namespace: "urn:s")]
        #expect(throws: XMLError(.unexpected, "")) {
            try canonical(document, parts: [.init(path, .inclusive)])
        }
        #expect(throws: Never.self) { try canonical(document, parts: [.init(path)]) }
    }

    @Test func boundsWhatItReads() {
        let depth = XMLLimits.canonicalDepth + 1
        let deep = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        let wide =
            "<a "
            + (0...XMLLimits.canonicalAttributeCount).map { "a\($0)=''" }.joined(separator: " ")
            + "/>"
        let long =
            "<a b='"
            + String(repeating: "x", count: XMLLimits.canonicalAttributeByteCount + 1) + "'/>"
        for document in [deep, wide, long] {
            #expect(throws: XMLError(.limitExceeded, "")) { try canonical(document) }
        }
    }
}
