import CMSKit
import CryptoBridge
import SignetTestSupport
import Testing

/// Tokens that only those can make who know the document's key, and what others can add to them.
@Suite("Tokens of MACs")
struct IntegrityTokenTests {
    private static let key = [UInt8](repeating: 7, count: 32)
    private static let digest = [UInt8](repeating: 1, count: 32)

    private static func made() throws -> [UInt8] {
        try IntegrityToken.make(
            keyEncryptionKey: key, digest: .sha256, dataDigest: digest, signature: nil)
    }

    private static func fault(_ token: [UInt8]) throws -> String? {
        try IntegrityToken(token).fault(keyEncryptionKey: key, dataDigest: digest, signature: nil)
    }

    /// A token with other attributes, and the code that goes with them.
    private static func resealed(_ change: (inout [DERNode]) -> Void) throws -> [UInt8] {
        var token = DERNode(try made())
        // AuthenticatedData: recipients, algorithms, content, attributes, code.
        var data = token[1][0]
        change(&data[5].children)
        let wrapped = Array(data[1][0][3].bytes.dropFirst(2))
        let key = try #require(try AES.wrap(.decrypt, key: Self.key, data: wrapped))
        let signed = [0x31] + data[5].bytes.dropFirst()
        data[6] = .leaf(0x04, try MessageAuthentication.hmacSHA256(key: key, data: signed))
        token[1][0] = data
        return token.bytes
    }

    @Test func nothingButZerosStandsBehind() throws {
        let token = try Self.made()
        for padding in [[], [0], [UInt8](repeating: 0, count: 400)] {
            #expect(try Self.fault(token + padding) == nil)
        }
        for padding: [UInt8] in [[1], [0, 0, 0xDE], token] {
            #expect(throws: CMSError.self) { try Self.fault(token + padding) }
        }
    }

    /// Nor anything in it that the code does not cover.
    @Test(arguments: [1, 2]) func algorithmsHaveNoParameters(index: Int) throws {
        var token = DERNode(try Self.made())
        token[1][0][1][0][index].children.append(.leaf(0x04, [0xDE, 0xAD]))
        #expect(throws: CMSError.self) { try Self.fault(token.bytes) }
    }

    /// RFC 6211 §3: what is said of the algorithms is compared with those that are used.
    @Test func namesItsAlgorithms() throws {
        let protection: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x34]
        func index(_ attributes: [DERNode]) -> Int? {
            attributes.firstIndex { $0[0] == .leaf(0x06, protection) }
        }
        #expect(try Self.fault(Self.resealed { _ in }) == nil)
        let without = try Self.resealed { attributes in
            index(attributes).map { _ = attributes.remove(at: $0) }
        }
        #expect(try Self.fault(without) == nil)
        let sha1 = DERNode.leaf(0x06, [0x2B, 0x0E, 0x03, 0x02, 0x1A])
        let hmacSHA1 = DERNode.leaf(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x07])
        for change: (inout DERNode) -> Void in [
            { $0[1][0][0][0] = sha1 }, { $0[1][0][1][0] = hmacSHA1 },
            { $0[1][0].children.removeLast() }, { $0[1].children = [] },
            { $0[1].children += $0[1].children },
        ] {
            let changed = try Self.resealed { attributes in
                index(attributes).map { change(&attributes[$0]) }
            }
            #expect(try Self.fault(changed)?.contains("algorithm identifiers") == true)
        }
        let twice = try Self.resealed { attributes in
            index(attributes).map { attributes.append(attributes[$0]) }
        }
        #expect(try Self.fault(twice)?.contains("algorithm identifiers") == true)
    }
}
