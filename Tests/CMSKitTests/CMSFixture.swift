import ByteKit
import CMSKit
import CryptoBridge
import SignetTestSupport

/// A signer below a root, and a message signed by it.
struct CMSFixture {
    let root: TestPKI.Identity
    let identity: TestPKI.Identity
    let content = Array("the signed bytes of a document".utf8)

    init(_ type: KeyType = .ec(curve: .p256)) throws {
        root = try TestPKI.root()
        identity = try TestPKI.issue(type: type, by: root)
    }

    func builder(
        digest: DigestAlgorithm = .sha256, scheme: SignatureScheme? = nil
    ) throws -> SignedDataBuilder {
        SignedDataBuilder(
            signer: try CMSSigner(
                key: identity.key, certificate: identity.certificate, chain: identity.chain,
                digest: digest, scheme: scheme))
    }

    func hash(_ digest: DigestAlgorithm) throws -> [UInt8] { try digest.hash(content) }

    func sign(digest: DigestAlgorithm = .sha256, scheme: SignatureScheme? = nil) throws -> [UInt8] {
        let builder = try builder(digest: digest, scheme: scheme)
        return try builder.sign(messageDigest: hash(builder.signer.digest))
    }

    func check(
        _ bytes: [UInt8], profile: SignedDataVerifier.Profile = .pades,
        content other: [UInt8]? = nil,
        configure: (inout SignedDataVerifier) -> Void = { _ in }
    ) throws -> SignatureCheck {
        let message = try SignedData(bytes)
        var digests: [DigestAlgorithm: [UInt8]] = [:]
        for algorithm in message.requiredDigests {
            digests[algorithm] = try algorithm.hash(other ?? content)
        }
        var verifier = SignedDataVerifier(profile: profile)
        configure(&verifier)
        return try verifier.verify(message, contentDigests: digests)[0]
    }
}

/// A small DER tree for building broken messages.
indirect enum Node: Equatable {
    case leaf(UInt8, [UInt8])
    case branch(UInt8, [Node])

    init(_ bytes: [UInt8]) {
        var position = 0
        self = Node.read(bytes, &position)
    }

    private static func read(_ bytes: [UInt8], _ position: inout Int) -> Node {
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
        var children: [Node] = []
        while position < end { children.append(read(bytes, &position)) }
        return .branch(tag, children)
    }

    var bytes: [UInt8] {
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

    subscript(index: Int) -> Node {
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

    var children: [Node] {
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

extension Node {
    /// Parts of a ContentInfo with one signer, certificates present.
    var signedData: Node {
        get { self[1][0] }
        set { self[1][0] = newValue }
    }
    var signerInfo: Node {
        get { signedData[4][0] }
        set { signedData[4][0] = newValue }
    }
    var attributes: [Node] {
        get { signerInfo[3].children }
        set { signerInfo[3].children = newValue }
    }

    func attributeIndex(_ oidTail: [UInt8]) -> Int? {
        attributes.firstIndex { $0[0].bytes.suffix(oidTail.count).elementsEqual(oidTail) }
    }

    /// Signs the attributes anew, for damage that an attacker with a key can do.
    mutating func resign(_ key: PrivateKey, _ scheme: SignatureScheme) throws {
        let signed = Node.branch(0x31, attributes).bytes
        signerInfo[5] = .leaf(0x04, try key.sign(message: signed, scheme: scheme))
    }
}

/// Ends of the encoded attribute types.
enum Tail {
    static let contentType: [UInt8] = [0x09, 0x03]
    static let messageDigest: [UInt8] = [0x09, 0x04]
    static let signingCertificateV2: [UInt8] = [0x02, 0x2F]
}
