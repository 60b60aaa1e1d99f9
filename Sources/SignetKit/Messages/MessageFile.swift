internal import Base
import CMSKit
import CodecBridge
import Containers
import CryptoBridge
import PDFCore
import SystemBridge

/// A CMS message (RFC 5652) in DER, BER, PEM, hexadecimal or bare base64.
struct MessageFile {
    let message: SignedData
    /// The message in DER or BER.
    private(set) var encoded: [UInt8] = []
    /// The unchanged bytes of the file.
    let bytes: [UInt8]
    private(set) var isPEM = false

    /// Maximum size of a file, in bytes. Base64 is a third longer than its content.
    static let byteLimit = CMSLimits.messageByteCount / 2 * 3
    static let labels: Set<String> = ["CMS", "PKCS7", "PKCS #7 SIGNED DATA"]

    /// Reads one message. Bytes after it are an error.
    static func read(_ source: InputSource) throws -> MessageFile {
        try reading(source.name) { try MessageFile(source.open()) }
    }

    init(_ file: InputFile) throws {
        try self.init(bytes: FileSystem.readAll(file, limit: Self.byteLimit), path: file.path)
    }

    init(bytes: [UInt8], path: String) throws {
        self.bytes = bytes
        if bytes.first == ASN1Tag.sequence {
            // Mailers and editors add a line break, although it is not part of the message. A
            // message may end with these bytes, so all bytes are tried first.
            let end = bytes.suffix(2).drop { $0 != 0x0D && $0 != 0x0A }.count
            if end > 0, let message = try? Self.parse(bytes, path) {
                self.message = message
                encoded = bytes
                return
            }
            encoded = Array(bytes.dropLast(end))
        } else if let block = try PEMText.single(
            bytes, labels: Self.labels, limit: Self.byteLimit)
        {
            encoded = block
            isPEM = true
        } else if let decoded = Self.decoded(bytes.filter { $0 != UInt8(ascii: "\"") }) {
            encoded = decoded
        } else {
            throw Self.unknown(bytes, path: path)
        }
        message = try Self.parse(encoded, path)
    }

    /// The bytes of hexadecimal or base64 text; nil for other text.
    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        [Base64.decode(text), Hex.decode(text.filter { $0 > 0x20 })].compactMap(\.self)
            .first { $0.first == ASN1Tag.sequence }
    }

    static func parse(_ encoded: [UInt8], _ path: String) throws -> SignedData {
        do {
            return try SignedData(encoded)
        } catch {
            switch error.code {
            case .notDER: return try SignedData(encoded, encoding: .ber)
            case .notSignedData:
                throw SignetError(
                    .malformedInput, file: path, "the file is a CMS structure, but not SignedData",
                    hint: Sentence(.messageWithoutSignature))
            default: throw error
            }
        }
    }

    private static func unknown(_ bytes: [UInt8], path: String) -> SignetError {
        guard let found = FoundFile(head: Array(bytes.prefix(2048))) else {
            return SignetError(
                .malformedInput, file: path, "the file is damaged or not a CMS structure",
                hint: Sentence(.giveMessage))
        }
        return SignetError(
            .malformedInput, file: path, "the file is \(found.name), not a CMS structure",
            hint: found.hint ?? (found.isPDF ? Sentence(.verifyInstead, path) : nil))
    }

    /// Whether the first bytes of a file are the beginning of a signed message.
    static func isMessage(head: [UInt8]) -> Bool {
        let start = decodedHead(head)
        guard start.first == ASN1Tag.sequence else { return false }
        let type = DERWriter.objectIdentifier(.signedData)
        return start.indices.prefix(16).contains { start[$0...].starts(with: type) }
    }

    /// The PEM label; nil for other formats.
    var label: String? {
        guard isPEM else { return nil }
        return Self.labels.first {
            bytes.firstRange(of: Array("-----BEGIN \($0)-----".utf8)) != nil
        }
    }

    /// Whether text that is not signed surrounds the PEM block.
    var hasTextOutside: Bool {
        guard isPEM else { return false }
        let text = bytes.drop { $0 <= 0x20 }
        let end = text.suffix(16).reversed().drop { $0 <= 0x20 }
        return !text.starts(with: Array("-----BEGIN ".utf8))
            || !end.starts(with: Array("-----".utf8))
    }

    /// The first bytes of a file, decoded from PEM or base64.
    static func decodedHead(_ head: [UInt8]) -> [UInt8] {
        if head.first == ASN1Tag.sequence { return head }
        return Base64Prefix.decode(head[(bodyStart(head) ?? head.startIndex)...])
    }

    /// Offset of the text after a PEM header; nil without one.
    private static func bodyStart(_ head: [UInt8]) -> Int? {
        for label in labels {
            let line = Array("-----BEGIN \(label)-----".utf8)
            for index in head.indices where head[index...].starts(with: line) {
                return index + line.count
            }
        }
        return nil
    }
}

/// The first bytes of a base64 text.
private enum Base64Prefix {
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8] {
        // Uses the symbols up to the padding or the end of the PEM block.
        let symbols = text.filter { $0 > 0x20 }.prefix(256).prefix { $0 != 0x2D && $0 != 0x3D }
        return Base64.decode(symbols.prefix(symbols.count / 4 * 4)) ?? []
    }
}

/// The kind of a file, by its first bytes.
public enum FileKind: Sendable {
    case pdf
    /// A signed CMS message.
    case message
    /// A JPEG image.
    case photo
    /// A timestamp response or token (RFC 3161).
    case timestamp
    /// An evidence record (RFC 4998, RFC 6283).
    case evidenceRecord
    case other

    /// Determines the kind of an input. Standard input is treated as a PDF, since it can be read
    /// only once.
    ///
    /// - Throws: ``SignetError`` if the file cannot be read.
    public static func of(_ source: InputSource) throws -> FileKind {
        guard !source.isStandardInput else { return .pdf }
        return try reading(source.name) { try FileKind(of: source.open()) }
    }

    init(of file: InputFile) throws {
        // The header may follow other bytes (ISO 32000-1 Annex H.3, note 13).
        let head = try file.bytes(at: 0, count: PDFLimits.headerSearchByteCount)
        // A message may contain a PDF, and a PDF may begin with a message: the name decides, and
        // each is read strictly.
        let isNamedSignature = CompanionFile.isSignatureName(file.path)
        self = isNamedSignature && MessageFile.isMessage(head: head) ? .message : Self(head: head)
        if self != .pdf, TimestampInput.mayBeReply(head: head),
            (try? TimestampInput.reply(in: file)) != nil
        {
            self = .timestamp
        }
        if self == .other,
            EvidenceRecordFile.isNamed(file.path) && FoundFile(head: head) == nil
                || EvidenceRecordFile.mayBe(head: head)
                    && EvidenceRecordFile.isRecord(file)
        {
            self = .evidenceRecord
        }
    }

    private init(head: [UInt8]) {
        let header = Array("%PDF-".utf8)
        // A container may begin with a PDF.
        if ZIPArchive.isArchive(head: head) {
            self = .other
        } else if head.indices.contains(where: { head[$0...].starts(with: header) }) {
            self = .pdf
        } else {
            self =
                MessageFile.isMessage(head: head)
                ? .message : PictureFormat(head: head) == .jpeg ? .photo : .other
        }
    }
}
