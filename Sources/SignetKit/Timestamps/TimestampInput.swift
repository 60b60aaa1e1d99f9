internal import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TimestampKit

/// Timestamp requests, responses and tokens in DER, PEM or bare base64.
enum TimestampInput {
    private static let requestLabels: Set<String> = ["TIMESTAMP REQUEST"]
    private static let replyLabels = MessageFile.labels.union(["TIMESTAMP RESPONSE"])

    /// Reads a timestamp response or a bare token.
    static func reply(in file: InputFile) throws -> TimestampReply {
        // Base64 is a third longer than its content.
        let bytes = try FileSystem.readAll(file, limit: TimestampLimits.replyByteCount * 3 / 2)
        guard let der = try decode(bytes, labels: replyLabels) else {
            throw SignetError(
                .malformedInput, file: file.path, "the file is not a timestamp response or token",
                hint: Sentence(.giveReply))
        }
        return try TimestampReply(der)
    }

    static func request(in file: InputFile) throws -> TimestampRequest {
        try TimestampRequest(requestBytes(in: file))
    }

    /// The bytes of the request, not yet parsed.
    static func requestBytes(in file: InputFile) throws -> [UInt8] {
        let bytes = try FileSystem.readAll(file, limit: TimestampLimits.requestByteCount * 2)
        return try decode(bytes, labels: requestLabels) ?? bytes
    }

    private static func decode(_ bytes: [UInt8], labels: Set<String>) throws -> [UInt8]? {
        if bytes.first == ASN1Tag.sequence { return bytes }
        if let block = try PEMText.single(bytes, labels: labels, limit: bytes.count) {
            return block
        }
        guard let decoded = Base64.decode(bytes), decoded.first == ASN1Tag.sequence else {
            return nil
        }
        return decoded
    }

    /// Whether a file that begins with `head` may be a response or a token. The whole file must be
    /// read to decide.
    static func mayBeReply(head: [UInt8]) -> Bool {
        let start = MessageFile.decodedHead(head)
        guard start.first == ASN1Tag.sequence else { return false }
        let type = DERWriter.objectIdentifier(.tstInfo)
        if start.indices.contains(where: { start[$0...].starts(with: type) }) { return true }
        // A rejection begins with SEQUENCE { SEQUENCE { INTEGER, with short lengths.
        guard let head = ASN1Node.headByteCount(in: start) else { return false }
        let rest = start.dropFirst(head)
        return rest.first == ASN1Tag.sequence && rest.dropFirst(2).starts(with: [0x02, 0x01])
    }
}
