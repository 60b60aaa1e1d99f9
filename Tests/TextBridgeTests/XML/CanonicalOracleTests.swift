import CryptoBridge
import Foundation
import SignetTestSupport
import Testing
import TextBridge

/// Documents made by chance: what is read has the canonical form that other programs make of it.
@Suite struct CanonicalOracleTests {
    /// Numbers by chance, the same each time.
    private struct Chance {
        private var state: UInt64

        init(_ seed: UInt64) { state = seed }

        mutating func below(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }

        mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }
    }

    private static let addresses = [
        "urn:a", "urn:b", "http://www.w3.org/2000/09/xmldsig#", "urn:c",
    ]
    private static let prefixes = ["", "p", "q", "ds"]
    private static let names = ["a", "b", "Signature", "x-1", "é"]
    private static let texts = [
        "t", " ", "\n", "\r\n", "\t", "&amp;", "&lt;", "&gt;", ">", "&quot;", "&apos;", "'",
        "&#13;", "&#xD;", "&#10;", "&#9;", "&#x20;", "é", "😀", "<![CDATA[<&>\r\n]]>", "]]&gt;",
        "<!-- c -->", "&#x10FFFF;", "\u{85}", "\u{2028}",
    ]
    private static let values = [
        "", "v", " a  b ", "&#10;", "&#9;", "&#13;", "\n", "\t", "\r\n", "&lt;", "&amp;", "&quot;",
        ">", "é", "&#x1F600;", "urn:a",
    ]

    /// - Parameter known: prefixes that are declared around it.
    private func element(
        _ chance: inout Chance, _ known: Set<String>, _ depth: Int, name fixed: String? = nil
    ) -> String {
        var known = known
        var attributes: [String: String] = [:]
        for _ in 0..<chance.below(3) {
            let prefix = chance.one(of: Self.prefixes)
            if prefix.isEmpty {
                attributes["xmlns"] = chance.below(3) == 0 ? "" : chance.one(of: Self.addresses)
            } else {
                attributes["xmlns:" + prefix] = chance.one(of: Self.addresses)
                known.insert(prefix)
            }
        }
        func qualified(_ name: String) -> String {
            let prefix = chance.one(of: [""] + known.sorted())
            return prefix.isEmpty ? name : "\(prefix):\(name)"
        }
        let name = fixed ?? qualified(chance.one(of: Self.names))
        for _ in 0..<chance.below(4) {
            attributes[qualified(chance.one(of: Self.names))] = chance.one(of: Self.values)
        }
        var order = attributes.sorted { $0.key < $1.key }
        if chance.below(2) == 0 { order.reverse() }
        let start =
            name
            + order.map { key, value in
                let quote = chance.below(2) == 0 ? "\"" : "'"
                return " \(key)=\(quote)\(value)\(quote)"
            }.joined()
        guard depth > 0, chance.below(5) > 0 else { return "<\(start)/>" }
        var content = ""
        for _ in 0..<chance.below(5) {
            content +=
                chance.below(2) == 0
                ? chance.one(of: Self.texts) : element(&chance, known, depth - 1)
        }
        return "<\(start)>\(content)</\(name)>"
    }

    private func document(_ chance: inout Chance) -> [UInt8] {
        var text = element(&chance, [], 4)
        // A signature, as lists have it.
        if chance.below(2) == 0, text.hasSuffix(">"),
            let end = text.range(of: "</", options: .backwards)
        {
            let signature = element(&chance, ["ds"], 2, name: "ds:Signature")
            let declared = signature.replacing(
                "<ds:Signature",
                with: "<ds:Signature xmlns:ds='http://www.w3.org/2000/09/xmldsig#'",
                maxReplacements: 1)
            if !signature.prefix(while: { $0 != ">" }).contains("xmlns:ds=") {
                text.insert(contentsOf: declared, at: end.lowerBound)
            }
        }
        var bytes = Array(text.utf8)
        if chance.below(4) == 0 {
            bytes = [0xEF, 0xBB, 0xBF] + bytes
        } else if chance.below(4) == 0 {
            bytes = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n".utf8) + bytes
        }
        // Some are broken somewhere.
        if chance.below(4) == 0 {
            for _ in 0...chance.below(3) where !bytes.isEmpty {
                let place = chance.below(bytes.count)
                switch chance.below(3) {
                case 0: bytes[place] = UInt8(chance.below(256))
                case 1: bytes.remove(at: place)
                default: bytes.insert(chance.one(of: Array("<>&\"' :=/x\r".utf8)), at: place)
                }
            }
        }
        return bytes
    }

    /// Both forms as the oracle writes them; nil for what is refused.
    private func forms(of document: [UInt8]) throws -> String? {
        let signature = XMLName("Signature", namespace: "http://www.w3.org/2000/09/xmldsig#")
        guard
            let read = try? CanonicalXML(
                of: document, omitting: signature,
                parts: [CanonicalXML.Part([signature], .inclusive)])
        else { return nil }
        func hash(_ bytes: [UInt8]) throws -> String {
            try DigestAlgorithm.sha256.hash(bytes).map {
                ($0 < 16 ? "0" : "") + String($0, radix: 16)
            }.joined()
        }
        try checkTree(of: document, signature, read)
        return try hash(read.document.octets) + " "
            + (read.parts[0].map { try hash($0.octets) } ?? "-")
    }

    /// A document in memory has the same forms.
    private func checkTree(
        of document: [UInt8], _ signature: XMLName, _ read: CanonicalXML
    ) throws {
        let tree = try XMLTree(document)
        let part = tree.root.children.first { $0.name == signature }
        #expect(
            try tree.root.canonical(.exclusive, omitting: [part].compactMap(\.self))
                == read.document.octets)
        #expect(try part.map { try $0.canonical(.inclusive) } == read.parts[0]?.octets)
    }

    @Test(.timeLimit(.minutes(10))) func othersMakeTheSameForms() throws {
        guard let python = try PythonEnvironment.find("python") else { return }
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SIGNET_CANONICAL_COUNT"].flatMap(Int.init) ?? 4000
        var chance = Chance(UInt64(environment["SIGNET_CANONICAL_SEED"] ?? "") ?? 1)
        let documents = (0..<count).map { _ in document(&chance) }
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/canonical_oracle.py").path
        let answers = try ExternalTool.withFolder { folder in
            let file = folder + "/documents"
            var bytes: [UInt8] = []
            for document in documents {
                bytes += (0..<4).map { UInt8(truncatingIfNeeded: document.count >> (24 - 8 * $0)) }
                bytes += document
            }
            try ExternalTool.write(bytes, to: file)
            let result = try ExternalTool.run(python, [script, file])
            #expect(result.status == 0, "\(result.errors)")
            return String(decoding: result.output, as: UTF8.self).split(separator: "\n")
        }
        try #require(answers.count == count)
        var (same, parts, alone) = (0, 0, 0)
        for (document, answer) in zip(documents, answers) {
            guard answer != "none", let own = try forms(of: document) else { continue }
            // Expat reads a little more than libxml2: versions of XML, among broken ones.
            guard answer != "refused" else {
                alone += 1
                continue
            }
            let text = String(decoding: document, as: UTF8.self)
            #expect(own == answer, "\(text.debugDescription)")
            guard own == answer else { break }
            same += 1
            if !own.hasSuffix("-") { parts += 1 }
        }
        // Most of them are read.
        let counts: Comment = "\(same) with \(parts) parts, \(alone) alone, of \(count)"
        #expect(same > count / 2 && parts > count / 20 && alone < count / 100, counts)
        if environment["SIGNET_CANONICAL_COUNT"] != nil { print(counts) }
    }
}
