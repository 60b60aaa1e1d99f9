internal import CryptoBridge
package import SwiftASN1

/// Reads the parts of a constructed element, turning the parser's errors into ours.
package struct NodeReader {
    private var iterator: ASN1NodeCollection.Iterator
    private var peeked: ASN1Node?
    private let what: String

    /// `what` names the structure in errors.
    package init(
        _ node: ASN1Node, _ identifier: ASN1Identifier = .sequence, _ what: String
    ) throws(CMSError) {
        guard node.identifier == identifier, case .constructed(let children) = node.content else {
            throw CMSError(.malformed, "\(what) has the wrong type")
        }
        iterator = children.makeIterator()
        peeked = iterator.next()
        self.what = what
    }

    package var isAtEnd: Bool { peeked == nil }

    package mutating func next() throws(CMSError) -> ASN1Node {
        guard let node = peeked else { throw CMSError(.malformed, "\(what) is incomplete") }
        peeked = iterator.next()
        return node
    }

    package mutating func next(if identifier: ASN1Identifier) -> ASN1Node? {
        guard let node = peeked, node.identifier == identifier else { return nil }
        peeked = iterator.next()
        return node
    }

    /// Refuses further elements.
    package func end() throws(CMSError) {
        guard isAtEnd else { throw CMSError(.malformed, "\(what) has more than it should") }
    }

    /// The remaining elements.
    package mutating func rest(limit: Int) throws(CMSError) -> [ASN1Node] {
        var nodes: [ASN1Node] = []
        while let node = peeked {
            guard nodes.count < limit else {
                throw CMSError(.limitExceeded, "\(what) has over \(limit) elements")
            }
            nodes.append(node)
            peeked = iterator.next()
        }
        return nodes
    }
}

extension ASN1Identifier {
    /// A context-specific tag.
    package static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

extension ASN1Node {
    /// Whether readers of BER may disagree about what is in the node: values in pieces are put
    /// together by nearly all where they are octet strings, and by few elsewhere.
    var isAmbiguous: Bool {
        guard case .constructed(let children) = content else { return false }
        let known: [ASN1Identifier] = [.sequence, .set, .octetString]
        return identifier.tagClass == .universal && !known.contains(identifier)
            || children.contains(where: \.isAmbiguous)
    }

    /// The node's bytes as received.
    package var bytes: [UInt8] { Array(encodedBytes) }

    package func objectIdentifier(_ what: String) throws(CMSError) -> String {
        guard identifier == .objectIdentifier,
            case .primitive(let content) = content, content.count <= 64,
            let oid = try? ASN1ObjectIdentifier(derEncoded: self)
        else { throw CMSError(.malformed, "\(what) is no object identifier") }
        return oid.oidComponents.map { String($0) }.joined(separator: ".")
    }

    package func smallInteger(_ what: String) throws(CMSError) -> Int {
        guard let value = try? Int(derEncoded: self) else {
            throw CMSError(.malformed, "\(what) is no small integer")
        }
        return value
    }

    /// The content of an INTEGER of at most `limit` bytes, in its one shortest form (X.690 §8.3.2).
    package func integerContent(_ what: String, limit: Int) throws(CMSError) -> [UInt8] {
        guard identifier == .integer, case .primitive(let content) = content,
            let first = content.first
        else { throw CMSError(.malformed, "\(what) is no integer") }
        guard content.count <= limit else {
            throw CMSError(.limitExceeded, "\(what) has \(content.count) bytes, over \(limit)")
        }
        let second = content.dropFirst().first ?? 0x40
        guard
            !(first == 0 && second < 0x80 || first == 0xFF && second >= 0x80) || content.count == 1
        else { throw CMSError(.notDER, "\(what) is longer than it need be") }
        return Array(content)
    }

    /// A BOOLEAN as DER has it (X.690 §11.1).
    package func boolean(_ what: String) throws(CMSError) -> Bool {
        guard identifier == .boolean, case .primitive(let content) = content,
            content.count == 1, let value = content.first, value == 0 || value == 0xFF
        else { throw CMSError(.malformed, "\(what) is no boolean") }
        return value != 0
    }

    /// The content of a primitive OCTET STRING, or of a segmented one where BER allows it.
    package func octets(_ what: String, allowSegments: Bool = false) throws(CMSError) -> [UInt8] {
        guard identifier == .octetString else {
            throw CMSError(.malformed, "\(what) is no octet string")
        }
        switch content {
        case .primitive(let bytes): return Array(bytes)
        case .constructed(let segments):
            guard allowSegments else {
                throw CMSError(.notDER, "\(what) is a segmented octet string")
            }
            var whole: [UInt8] = []
            for segment in segments {
                whole += try segment.octets(what, allowSegments: true)
            }
            return whole
        }
    }
}

/// Builds DER bottom up, element by element.
package enum DEREncoding {
    package static func constructed(_ identifier: ASN1Identifier, _ parts: [[UInt8]]) -> [UInt8] {
        DERWriter.element(tag(identifier) | 0x20, of: parts)
    }

    /// The first byte of a primitive element; numbers from 31 on, which nothing here has, would take
    /// more.
    private static func tag(_ identifier: ASN1Identifier) -> UInt8 {
        let classBits: UInt8 =
            switch identifier.tagClass {
            case .universal: 0
            case .application: 0x40
            case .contextSpecific: 0x80
            case .private: 0xC0
            }
        return classBits | UInt8(truncatingIfNeeded: identifier.tagNumber & 0x1F)
    }

    package static func sequence(_ parts: [UInt8]...) -> [UInt8] { constructed(.sequence, parts) }

    /// A SET OF in DER order (X.690 §11.6).
    package static func setOf(_ parts: [[UInt8]], _ identifier: ASN1Identifier = .set) -> [UInt8] {
        constructed(identifier, parts.sorted { $0.lexicographicallyPrecedes($1) })
    }

    package static func primitive(_ identifier: ASN1Identifier, _ content: [UInt8]) -> [UInt8] {
        DERWriter.element(tag(identifier), of: [content])
    }

    package static func octets(_ content: [UInt8]) -> [UInt8] { primitive(.octetString, content) }

    /// A small INTEGER.
    package static func integer(_ value: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        // Two's complement: the first bit says the sign.
        repeat {
            bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        } while !(rest == 0 && bytes[0] < 0x80 || rest == -1 && bytes[0] >= 0x80)
        return primitive(.integer, bytes)
    }

    /// A BOOLEAN that is not its default.
    package static let yes: [UInt8] = [0x01, 0x01, 0xFF]

    package static let null: [UInt8] = [0x05, 0x00]

    package static func objectIdentifier(_ dotted: String) throws(CMSError) -> [UInt8] {
        guard let encoded = DERWriter.objectIdentifier(dotted) else {
            throw CMSError(.invalidParameter, "\"\(dotted)\" is no object identifier")
        }
        return encoded
    }
}

/// Looks at the outermost element without parsing it.
package enum DERElementLength {
    /// Bytes of the first element, header included; nil when the header is damaged, indefinite or
    /// promises more than `bytes` holds.
    package static func first(in bytes: [UInt8]) -> Int? { first(in: bytes[...]) }

    static func first(in bytes: ArraySlice<UInt8>) -> Int? {
        let start = bytes.startIndex
        guard bytes.count >= 2, bytes[start] & 0x1F != 0x1F else { return nil }
        let short = Int(bytes[start + 1])
        if short < 0x80 { return 2 + short <= bytes.count ? 2 + short : nil }
        let lengthByteCount = short - 0x80
        guard (1...4).contains(lengthByteCount), bytes.count >= 2 + lengthByteCount else {
            return nil
        }
        let length = bytes[(start + 2)..<(start + 2 + lengthByteCount)]
            .reduce(0) { $0 << 8 | Int($1) }
        let total = 2 + lengthByteCount + length
        return total <= bytes.count ? total : nil
    }

    /// What stands in the first element, header excluded.
    package static func content(of element: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard element.count >= 2 else { return nil }
        let length = element[element.startIndex + 1]
        return element.dropFirst(length < 0x80 ? 2 : 2 + Int(length - 0x80))
    }

    /// Whether the outermost element has BER's indefinite length.
    package static func isIndefinite(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 2 && bytes[0] & 0x20 != 0 && bytes[1] == 0x80
    }
}

/// Where an element in BER ends, indefinite lengths included (X.690 §8.1.3.6, §8.1.5).
package enum BERElementLength {
    /// Deepest nesting of indefinite lengths that is followed, as in the parser.
    private static let maximumDepth = 50

    /// Bytes of the first element, header and end-of-contents included; nil when it is damaged or
    /// not whole.
    package static func first(in bytes: [UInt8]) -> Int? {
        var position = 0
        var depth = 0
        repeat {
            guard position + 2 <= bytes.count, bytes[position] & 0x1F != 0x1F else { return nil }
            if bytes[position] == 0, bytes[position + 1] == 0 {
                guard depth > 0 else { return nil }
                depth -= 1
                position += 2
            } else if bytes[position + 1] == 0x80 {
                guard bytes[position] & 0x20 != 0, depth < maximumDepth else { return nil }
                depth += 1
                position += 2
            } else {
                guard let length = DERElementLength.first(in: bytes[position...]) else {
                    return nil
                }
                position += length
            }
        } while depth > 0
        return position
    }
}
