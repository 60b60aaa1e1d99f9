import Base
import CryptoBridge
import Foundation
import SignetTestSupport
import Testing
import TextBridge
import TrustKit

struct SignedListTests {
    @Test(arguments: ["lotl-332", "pivot-300", "pivot-282", "lu-51", "el-69", "li-40", "uk-25"])
    func verifiesRealLists(name: String) throws {
        let list = try TrustList(document: TrustVectors.read(name))
        #expect("\(list.sequence)" == name.split(separator: "-").last.map(String.init))
    }

    @Test func readsWhatListsSay() throws {
        let luxembourg = try TrustList(document: TrustVectors.read("lu-51"))
        #expect(luxembourg.territory == "LU")
        #expect(luxembourg.type == "EUgeneric")
        #expect(luxembourg.services.count == 12)
        #expect(luxembourg.otherServiceCount == 7)
        #expect(luxembourg.isExpired(at: CalendarTime(secondsSinceEpoch: 1_800_000_000)))
        // A closed list does not run out.
        let kingdom = try TrustList(document: TrustVectors.read("uk-25"))
        #expect(kingdom.nextUpdate == nil)
        #expect(!kingdom.isExpired(at: CalendarTime(secondsSinceEpoch: 1_800_000_000)))
        let head = try TrustList(document: TrustVectors.read("lotl-332"))
        #expect(Set(head.nationalPointers.map(\.territory)).count == 31)
    }

    /// A forgery: what is replaced first in the list of Liechtenstein, and what by.
    struct Forgery: Sendable, CustomTestStringConvertible {
        let name: String
        let old: String
        let new: String
        var code = TrustListError.Code.signatureForm
        var testDescription: String { name }
    }

    private static let transforms =
        "<dsig:Transforms xmlns:dsig=\"http://www.w3.org/2000/09/xmldsig#\">"
    private static func transform(_ algorithm: String, _ content: String = "") -> String {
        transforms + "<dsig:Transform Algorithm=\"\(algorithm)\">\(content)</dsig:Transform>"
    }

    static let forgeries = [
        Forgery(
            name: "XSLT", old: transforms,
            new: transform(
                "http://www.w3.org/TR/1999/REC-xslt-19991116",
                "<x:stylesheet xmlns:x=\"http://www.w3.org/1999/XSL/Transform\"/>")),
        Forgery(
            name: "XPath", old: transforms,
            new: transform(
                "http://www.w3.org/TR/1999/REC-xpath-19991116", "<dsig:XPath>1</dsig:XPath>")),
        Forgery(
            name: "XPath filter 2", old: transforms,
            new: transform("http://www.w3.org/2002/06/xmldsig-filter2")),
        Forgery(
            name: "base64", old: transforms,
            new: transform("http://www.w3.org/2000/09/xmldsig#base64")),
        Forgery(name: "http reference", old: "URI=\"\"", new: "URI=\"http://127.0.0.1:9/x\""),
        Forgery(name: "file reference", old: "URI=\"\"", new: "URI=\"file:///etc/hostname\""),
        Forgery(name: "XPointer", old: "URI=\"\"", new: "URI=\"#xpointer(//*)\""),
        Forgery(name: "HMAC", old: "xmldsig-more#rsa-sha256", new: "xmldsig-more#hmac-sha256"),
        Forgery(
            name: "SHA-1 signature", old: "2001/04/xmldsig-more#rsa-sha256",
            new: "2000/09/xmldsig#rsa-sha1"),
        Forgery(
            name: "SHA-1 digest", old: "http://www.w3.org/2001/04/xmlenc#sha256",
            new: "http://www.w3.org/2000/09/xmldsig#sha1"),
        Forgery(
            name: "withdrawn becomes granted", old: "/Svcstatus/withdrawn",
            new: "/Svcstatus/granted", code: .signatureInvalid),
        Forgery(
            name: "entities", old: "<TrustServiceStatusList",
            new: "<!DOCTYPE x [<!ENTITY a \"a\">]><TrustServiceStatusList", code: .malformed),
        Forgery(
            name: "two elements of one Id", old: "<SchemeInformation>",
            new: "<SchemeInformation Id=\"a\"><x Id=\"a\"/>"),
    ]

    @Test(.timeLimit(.minutes(15)), arguments: forgeries) func refuses(forgery: Forgery) throws {
        var text = String(decoding: try TrustVectors.read("li-40"), as: UTF8.self)
        let old = forgery.old
        let range = try #require(text.range(of: old), "the list has no \(old)")
        text.replaceSubrange(range, with: forgery.new)
        let start = ContinuousClock.now
        #expect(throws: TrustListError(forgery.code, "")) { try SignedList(Array(text.utf8)) }
        #expect(start.duration(to: .now) < .seconds(10))
    }

    /// An ECDSA signature is r and s side by side, each of the curve's size.
    @Test func refusesSignaturesOfTheWrongLength() throws {
        let text = String(decoding: try TrustVectors.read("el-69"), as: UTF8.self)
        let value = try #require(text.firstMatch(of: /SignatureValue[^>]*>([A-Za-z0-9+\/=\s]+)</))
        let octets = try #require(
            Data(base64Encoded: String(value.output.1), options: .ignoreUnknownCharacters))
        for altered in [octets.dropLast(), octets + [0], [0] + octets, octets.dropFirst(2)] {
            var forged = text
            forged.replaceSubrange(
                value.output.1.startIndex..<value.output.1.endIndex,
                with: Data(altered).base64EncodedString())
            let error = #expect(throws: TrustListError(.signatureInvalid, "")) {
                try SignedList(Array(forged.utf8))
            }
            #expect(error?.detail.contains("length") == true)
        }
    }

    @Test func refusesManyReferencesAtOnce() throws {
        let text = String(decoding: try TrustVectors.read("li-40"), as: UTF8.self)
        let start = try #require(text.range(of: "<dsig:Reference"))
        let end = try #require(text.range(of: "</dsig:Reference>"))
        let reference = text[start.lowerBound..<end.upperBound]
            .replacingOccurrences(of: " Id=", with: " X=")
        var forged = text
        forged.insert(contentsOf: String(repeating: reference, count: 3000), at: start.lowerBound)
        #expect(throws: TrustListError(.signatureForm, "")) { try SignedList(Array(forged.utf8)) }
    }

    @Test func everyFlippedByteOfTheSignatureIsNoticed() throws {
        let whole = try TrustVectors.read("li-40")
        let list = try SignedList(whole)
        var state: UInt64 = 1
        for _ in 0..<40 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var forged = whole
            forged[Int(state >> 33) % forged.count] ^= 1
            // What is accepted says the same: outside the root, or in white space of the signature.
            let found = try? SignedList(forged)
            #expect(found == nil || found?.octets == list.octets)
        }
    }

    @Test func refusesDeepDocuments() {
        let depth = 200_000
        let document =
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        #expect(throws: TrustListError(.limitExceeded, "")) { try SignedList(Array(document.utf8)) }
    }

    /// What lxml and xmlsec1 make of the same files: the octets of all that is read, and that of what
    /// is believed the signature is right.
    @Test(.timeLimit(.minutes(30))) func agreesWithOtherPrograms() throws {
        guard let python = try PythonEnvironment.find("python") else { return }
        let names = ["lotl-332", "pivot-300", "pivot-282", "lu-51", "el-69", "li-40", "uk-25"]
        let vectors = names.map { "\(TrustVectors.folder)/\($0).xml.z" }
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/list_oracle.py").path
        let signature = XMLName("Signature", namespace: "http://www.w3.org/2000/09/xmldsig#")
        var (same, believed, refused) = (0, 0, [String]())
        for path in vectors + TrustVectors.further {
            let document = try TrustVectors.read(at: path)
            let answer = try ExternalTool.run(python, [script, "--octets", path])
            let words = String(decoding: answer.output, as: UTF8.self).split(separator: " ")
            try #require(words.count >= 4, "\(path): \(answer.errors)")
            let read: CanonicalXML
            do {
                read = try CanonicalXML(of: document, omitting: signature, parts: [])
            } catch {
                let name = path.split(separator: "/").last ?? ""
                refused.append("\(name): \(words[0] == "-" ? "by all" : "\(error)")")
                continue
            }
            let hash = Hex.encode(try DigestAlgorithm.sha256.hash(read.document.octets))
            #expect(hash == words[0] && hash == words[1], "\(path)")
            same += 1
            guard let list = try? TrustList(document: document) else { continue }
            #expect(Hex.encode(list.sha256) == hash && words[2] == "right", "\(path)")
            believed += 1
        }
        #expect(believed >= names.count)
        if !TrustVectors.further.isEmpty {
            print("\(same) lists with the octets of the others, \(believed) of them believed")
            print((["refused:"] + refused).joined(separator: "\n"))
        }
    }
}
