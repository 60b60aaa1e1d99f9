package import CryptoBridge

/// A DER tree for malformed CMS messages.
package indirect enum DERNode: Equatable {
    case leaf(UInt8, [UInt8])
    case branch(UInt8, [DERNode])

    package init(_ bytes: [UInt8]) {
        var position = 0
        self = DERNode.read(bytes, &position)
    }

    private static func read(_ bytes: [UInt8], _ position: inout Int) -> DERNode {
        let tag = bytes[position]
        var count = Int(bytes[position + 1])
        position += 2
        if count > 0x80 {
            let lengthByteCount = count - 0x80
            count = bytes[position..<position + lengthByteCount].reduce(0) { $0 << 8 | Int($1) }
            position += lengthByteCount
        }
        let end = position + count
        guard tag & 0x20 != 0 else {
            defer { position = end }
            return .leaf(tag, Array(bytes[position..<end]))
        }
        var children: [DERNode] = []
        while position < end { children.append(read(bytes, &position)) }
        return .branch(tag, children)
    }

    package var bytes: [UInt8] {
        let tag: UInt8
        let content: [UInt8]
        switch self {
        case .leaf(let own, let bytes): (tag, content) = (own, bytes)
        case .branch(let own, let children): (tag, content) = (own, children.flatMap(\.bytes))
        }
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        if content.count < 0x100 { return [tag, 0x81, UInt8(content.count)] + content }
        return [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    package subscript(index: Int) -> DERNode {
        get {
            guard case .branch(_, let children) = self else { return self }
            return children[index]
        }
        set {
            guard case .branch(let tag, var children) = self else { return }
            children[index] = newValue
            self = .branch(tag, children)
        }
    }

    package var children: [DERNode] {
        get {
            guard case .branch(_, let children) = self else { return [] }
            return children
        }
        set {
            guard case .branch(let tag, _) = self else { return }
            self = .branch(tag, newValue)
        }
    }
}

extension DERNode {
    /// Parts of a ContentInfo with one signer and certificates.
    package var signedData: DERNode {
        get { self[1][0] }
        set { self[1][0] = newValue }
    }
    package var signerInfo: DERNode {
        get { signedData[4][0] }
        set { signedData[4][0] = newValue }
    }
    package var attributes: [DERNode] {
        get { signerInfo[3].children }
        set { signerInfo[3].children = newValue }
    }

    package func attributeIndex(_ oidTail: [UInt8]) -> Int? {
        attributes.firstIndex { $0[0].bytes.suffix(oidTail.count).elementsEqual(oidTail) }
    }

    /// Signs the attributes again, as an attacker with a key could after a change.
    package mutating func resign(_ key: PrivateKey, _ scheme: SignatureScheme) throws {
        let signed = DERNode.branch(0x31, attributes).bytes
        signerInfo[5] = .leaf(0x04, try key.sign(message: signed, scheme: scheme))
    }
}
