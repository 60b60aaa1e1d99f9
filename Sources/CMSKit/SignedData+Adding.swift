internal import SwiftASN1

extension SignedData {
    /// A message with one signer, given one more unsigned attribute. Nothing that is signed changes.
    ///
    /// - Parameter message: DER, or BER, as some time-stamping authorities write it.
    package static func adding(
        _ attribute: CMSAttribute, to message: [UInt8]
    ) throws(CMSError) -> [UInt8] {
        let root: ASN1Node
        do {
            root = try Encoding.der.parse(message)
        } catch {
            guard error.code == .notDER else { throw error }
            root = try Encoding.ber.parse(message)
        }
        let info = try parts(of: root, .sequence)
        guard info.count == 2, let wrapped = try parts(of: info[1], .context(0)).first else {
            throw CMSError(.malformed, "the message has no content")
        }
        let data = try parts(of: wrapped, .sequence)
        guard let infos = data.last, let signer = try parts(of: infos, .set).first,
            try parts(of: infos, .set).count == 1
        else { throw CMSError(.malformed, "the message has several signers, or none") }
        var fields = try parts(of: signer, .sequence)
        var unsigned = [try attribute.encoded()]
        if let last = fields.last, last.identifier == .context(1) {
            unsigned += try parts(of: last, .context(1)).map(\.bytes)
            fields.removeLast()
        }
        let changed = DEREncoding.constructed(
            .sequence, fields.map(\.bytes) + [DEREncoding.setOf(unsigned, .context(1))])
        let content = DEREncoding.constructed(
            .sequence, data.dropLast().map(\.bytes) + [DEREncoding.setOf([changed])])
        return DEREncoding.sequence(
            info[0].bytes, DEREncoding.constructed(.context(0), [content]))
    }

    private static func parts(
        of node: ASN1Node, _ identifier: ASN1Identifier
    ) throws(CMSError) -> [ASN1Node] {
        var reader = try NodeReader(node, identifier, "the message")
        return try reader.rest(limit: CMSLimits.attributeCount)
    }
}
