package import Base

/// Reads the elements inside a constructed ASN.1 element one after the other.
package struct NodeReader {
    private var elements: ASN1Reader<ArraySlice<UInt8>>
    /// The next element; nil at the end, and if it is malformed.
    private var upcoming: ASN1Node?
    private let name: String

    /// - Parameters:
    ///   - tag: the tag that `node` must have.
    ///   - name: name of the structure in errors.
    package init(
        _ node: ASN1Node, _ tag: UInt8 = ASN1Tag.sequence, _ name: String
    ) throws(CMSError) {
        guard node.tag == tag, node.isConstructed else {
            throw CMSError(.malformed, "\(name) has the wrong type")
        }
        elements = node.reader
        upcoming = elements.next()
        self.name = name
    }

    package var isAtEnd: Bool { upcoming == nil && elements.isAtEnd }

    package mutating func next() throws(CMSError) -> ASN1Node {
        guard let node = upcoming else { throw CMSError(.malformed, "\(name) is incomplete") }
        upcoming = elements.next()
        return node
    }

    /// The next element if it has this tag, whether primitive or constructed; otherwise nil, and the
    /// element remains.
    package mutating func next(if tag: UInt8) -> ASN1Node? {
        guard let node = upcoming, node.hasNumber(of: tag) else { return nil }
        upcoming = elements.next()
        return node
    }

    /// The value of an optional BOOLEAN; false if it is missing.
    package mutating func flag(_ name: String) throws(CMSError) -> Bool {
        try next(if: ASN1Tag.boolean)?.boolean(name) ?? false
    }

    /// The elements inside the next element if it has the tag; otherwise none.
    package mutating func parts(
        if tag: UInt8, _ name: String, limit: Int
    ) throws(CMSError) -> [ASN1Node] {
        guard let node = next(if: tag) else { return [] }
        var reader = try NodeReader(node, tag, name)
        return try reader.rest(limit: limit)
    }

    /// Throws if elements remain.
    package func end() throws(CMSError) {
        guard isAtEnd else { throw CMSError(.malformed, "\(name) has extra elements") }
    }

    /// All remaining elements.
    package mutating func rest(limit: Int) throws(CMSError) -> [ASN1Node] {
        var nodes: [ASN1Node] = []
        while let node = upcoming {
            guard nodes.count < limit else {
                throw CMSError(.limitExceeded, "there are more than \(limit) elements in \(name)")
            }
            nodes.append(node)
            upcoming = elements.next()
        }
        return nodes
    }
}

extension ASN1Node {
    /// The only element inside this one, which must have the tag.
    package func only(_ tag: UInt8, _ name: String) throws(CMSError) -> ASN1Node {
        var reader = try NodeReader(self, tag, name)
        let part = try reader.next()
        try reader.end()
        return part
    }

    /// The content of a primitive element; nil for a constructed one.
    package var primitive: ArraySlice<UInt8>? { isConstructed ? nil : content }

    package func objectIdentifier(_ name: String) throws(CMSError) -> OID {
        guard let identifier = objectIdentifier else {
            throw CMSError(.malformed, "\(name) is not an object identifier")
        }
        return identifier
    }

    package func smallInteger(_ name: String) throws(CMSError) -> Int {
        guard let integer else { throw CMSError(.malformed, "\(name) is not a small integer") }
        return integer
    }

    /// The content of an INTEGER of at most `limit` bytes in the shortest encoding (X.690 §8.3.2).
    package func integerContent(_ name: String, limit: Int) throws(CMSError) -> [UInt8] {
        guard tag == ASN1Tag.integer, !content.isEmpty else {
            throw CMSError(.malformed, "\(name) is not an integer")
        }
        guard content.count <= limit else {
            throw CMSError(.limitExceeded, "\(name) has \(content.count) bytes, more than \(limit)")
        }
        guard isShortestInteger else {
            throw CMSError(.notDER, "\(name) is not minimally encoded")
        }
        return Array(content)
    }

    /// A BOOLEAN in DER (X.690 §11.1).
    package func boolean(_ name: String) throws(CMSError) -> Bool {
        guard tag == ASN1Tag.boolean, content.count == 1, let value = content.first,
            value == 0 || value == 0xFF
        else { throw CMSError(.malformed, "\(name) is not a boolean") }
        return value != 0
    }

    /// The content of a primitive OCTET STRING, or of a segmented one if BER is allowed.
    package func octets(_ name: String, allowSegments: Bool = false) throws(CMSError) -> [UInt8] {
        guard hasNumber(of: ASN1Tag.octetString) else {
            throw CMSError(.malformed, "\(name) is not an octet string")
        }
        if let primitive { return Array(primitive) }
        guard allowSegments else { throw CMSError(.notDER, "\(name) is a segmented octet string") }
        var whole: [UInt8] = []
        var segments = reader
        while let segment = segments.next() {
            whole += try segment.octets(name, allowSegments: true)
        }
        return whole
    }
}
