package import Base

/// Reads the parts of a constructed element and reports malformed ones.
package struct NodeReader {
    private var elements: ASN1Reader<ArraySlice<UInt8>>
    private var peeked: ASN1Node?
    private let what: String

    /// - Parameters:
    ///   - tag: tag of a constructed element.
    ///   - what: name of the structure in errors.
    package init(
        _ node: ASN1Node, _ tag: UInt8 = ASN1Tag.sequence, _ what: String
    ) throws(CMSError) {
        guard node.tag == tag, node.isConstructed else {
            throw CMSError(.malformed, "\(what) has the wrong type")
        }
        elements = node.reader
        peeked = elements.next()
        self.what = what
    }

    package var isAtEnd: Bool { peeked == nil && elements.isAtEnd }

    package mutating func next() throws(CMSError) -> ASN1Node {
        guard let node = peeked else { throw CMSError(.malformed, "\(what) is incomplete") }
        peeked = elements.next()
        return node
    }

    /// The next element if it has the tag, primitive or constructed.
    package mutating func next(if tag: UInt8) -> ASN1Node? {
        guard let node = peeked, node.hasNumber(of: tag) else { return nil }
        peeked = elements.next()
        return node
    }

    /// A BOOLEAN; false if it is missing.
    package mutating func flag(_ what: String) throws(CMSError) -> Bool {
        try next(if: ASN1Tag.boolean)?.boolean(what) ?? false
    }

    /// The elements inside the next element if it has the tag; otherwise none.
    package mutating func parts(
        if tag: UInt8, _ what: String, limit: Int
    ) throws(CMSError) -> [ASN1Node] {
        guard let node = next(if: tag) else { return [] }
        var reader = try NodeReader(node, tag, what)
        return try reader.rest(limit: limit)
    }

    /// Throws if elements remain.
    package func end() throws(CMSError) {
        guard isAtEnd else { throw CMSError(.malformed, "\(what) has extra elements") }
    }

    /// The remaining elements.
    package mutating func rest(limit: Int) throws(CMSError) -> [ASN1Node] {
        var nodes: [ASN1Node] = []
        while let node = peeked {
            guard nodes.count < limit else {
                throw CMSError(.limitExceeded, "\(what) has more than \(limit) elements")
            }
            nodes.append(node)
            peeked = elements.next()
        }
        return nodes
    }
}

extension ASN1Node {
    /// The only part of a constructed element.
    package func only(_ tag: UInt8, _ what: String) throws(CMSError) -> ASN1Node {
        var reader = try NodeReader(self, tag, what)
        let part = try reader.next()
        try reader.end()
        return part
    }

    /// The content of a primitive element; nil for a constructed one.
    package var primitive: ArraySlice<UInt8>? { isConstructed ? nil : content }

    package func objectIdentifier(_ what: String) throws(CMSError) -> OID {
        guard let identifier = objectIdentifier else {
            throw CMSError(.malformed, "\(what) is not an object identifier")
        }
        return identifier
    }

    package func smallInteger(_ what: String) throws(CMSError) -> Int {
        guard let integer else { throw CMSError(.malformed, "\(what) is not a small integer") }
        return integer
    }

    /// The content of an INTEGER of at most `limit` bytes in the shortest encoding (X.690 §8.3.2).
    package func integerContent(_ what: String, limit: Int) throws(CMSError) -> [UInt8] {
        guard tag == ASN1Tag.integer, !content.isEmpty else {
            throw CMSError(.malformed, "\(what) is not an integer")
        }
        guard content.count <= limit else {
            throw CMSError(.limitExceeded, "\(what) has \(content.count) bytes, more than \(limit)")
        }
        guard isShortestInteger else {
            throw CMSError(.notDER, "\(what) is not minimally encoded")
        }
        return Array(content)
    }

    /// A BOOLEAN in DER (X.690 §11.1).
    package func boolean(_ what: String) throws(CMSError) -> Bool {
        guard tag == ASN1Tag.boolean, content.count == 1, let value = content.first,
            value == 0 || value == 0xFF
        else { throw CMSError(.malformed, "\(what) is not a boolean") }
        return value != 0
    }

    /// The content of a primitive OCTET STRING, or of a segmented one if BER is allowed.
    package func octets(_ what: String, allowSegments: Bool = false) throws(CMSError) -> [UInt8] {
        guard hasNumber(of: ASN1Tag.octetString) else {
            throw CMSError(.malformed, "\(what) is not an octet string")
        }
        if let primitive { return Array(primitive) }
        guard allowSegments else { throw CMSError(.notDER, "\(what) is a segmented octet string") }
        var whole: [UInt8] = []
        var segments = reader
        while let segment = segments.next() {
            whole += try segment.octets(what, allowSegments: true)
        }
        return whole
    }
}
