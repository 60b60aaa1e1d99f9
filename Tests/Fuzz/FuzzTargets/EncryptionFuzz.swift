import ASN1Kit
import ByteKit
import CMSKit
import CryptoBridge
import PAdES
import PDFCore
import TrustKit

/// What makes a document encrypted, and what proves that nobody else wrote it. The input is one of:
///
/// - A CMS message, recognised by its first byte: an envelope for the holders of certificates, the
///   token of an integrity code, or a signature that is to carry one.
/// - An encryption dictionary, what the trailer says besides, and further objects, a line with
///   `---` between them.
enum EncryptionFuzz {
    static func failure(of bytes: [UInt8]) -> String? {
        bytes.first == 0x30 ? messageFailure(of: bytes) : documentFailure(of: bytes)
    }

    // MARK: Messages

    private static let keyBytes = [UInt8](repeating: 5, count: 32)
    /// Keys that open nothing but seeds, PKCS#8 in hexadecimal: P-256 and X25519.
    private static let recipientKeys = [
        "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420068d4682"
            + "3af2c613f75eccd03e410b060b3b543a1278e5cf9203f483200cf087a144034200048a0b667f8b84"
            + "9f96248a331138e6bb5705272d5f70c17aafc9d0ce47f5856675681703faada6b9c1a9518f9233c9"
            + "a8b22e5fe3d277ffc974fad2e94bd787379d",
        "302e020100300506032b656e04220420" + String(repeating: "07", count: 32),
    ]
    private static let recipients = recipientKeys.compactMap { text in
        try? CredentialReader.read(Hex.decode(Array(text.utf8)) ?? []) { () throws(CryptoError) in
            nil
        }.key
    }

    private static func messageFailure(of bytes: [UInt8]) -> String? {
        if let envelope = try? EnvelopedData(bytes) {
            _ = (envelope.recipientCount, envelope.recipients(limit: 16))
            for key in recipients { _ = try? envelope.open(key: key, certificates: []) }
            FuzzEnvelopeKey.open(envelope)
        }
        if let token = try? IntegrityToken(bytes) {
            let digest = [UInt8](repeating: 6, count: token.digestAlgorithm.byteCount)
            for signature in [nil, digest] {
                // Nobody knows a code of this key but the seeds.
                _ = try? token.fault(
                    keyEncryptionKey: keyBytes, dataDigest: digest, signature: signature)
            }
        }
        let attribute = CMSAttribute(oid: .integrityToken, values: [[0x05, 0x00]])
        guard let before = try? SignedData(bytes),
            before.signers.count == 1, let signer = before.signers.first,
            let sealed = try? SignedData.adding(attribute, to: bytes)
        else { return nil }
        guard let after = try? SignedData(sealed), let found = after.signers.first else {
            // More attributes than are read.
            return signer.unsignedAttributes.count < 60 ? "a sealed message is not read" : nil
        }
        return found.signature == signer.signature
            && found.signedAttributesRaw == signer.signedAttributesRaw
            && found.unsignedAttributes.values(OID.integrityToken).last != nil
            ? nil : "sealing a message changes what is signed"
    }

    // MARK: Documents

    private static let time = CalendarTime(secondsSinceEpoch: 1_700_000_000)
    private static let separator = Array("\n---\n".utf8)

    private static func documentFailure(of bytes: [UInt8]) -> String? {
        let parts = bytes.parts(separatedBy: separator, limit: 3)
        let document = Self.document(
            encryption: parts[0], trailer: parts.count > 1 ? parts[1] : [],
            objects: parts.count > 2 ? parts[2] : [])
        guard let opened = try? open(document) else { return nil }
        for number in 1...9 {
            guard let object = try? opened.object(ObjectID(number: number)) else { continue }
            if case .stream(let stream) = object { _ = try? opened.decodedData(of: stream) }
        }
        if let encryption = opened.encryption {
            _ = (encryption.methodName, encryption.permissions.names)
            for envelope in encryption.envelopes {
                _ = try? EnvelopedData(envelope).recipients(limit: 16)
            }
        }
        let verifier = DocumentVerifier(
            validator: PathValidator(anchors: .certificates([]), now: time), time: time)
        let report = try? verifier.verify(opened)
        let seal: IntegritySeal?
        do {
            seal = try IntegritySeal.of(opened)
        } catch {
            return nil
        }
        if let code = report?.integrityCode, !code.problems.isEmpty {
            return "a wrong code is no obstacle to a new one"
        }
        return failure(of: opened, seal: seal, bytes: document)
    }

    /// Lays out a signature: where there is a seal, the trailer must say so.
    private static func failure(
        of document: PDFDocument, seal: IntegritySeal?, bytes: [UInt8]
    ) -> String? {
        guard
            let prepared = try? PreparedSignature(
                NewSignature(
                    in: .new(name: "Fuzz"), .signature(SignatureProperties(claimedTime: time)),
                    reservedByteCount: 64, isSealed: seal != nil),
                document: document, form: AcroForm(of: document),
                update: IncrementalUpdate(document: document, avoiding: ObjectNumberSet()),
                fileIdentifier: [UInt8](repeating: 7, count: 16))
        else { return nil }
        guard let signed = try? open(bytes + prepared.bytes) else {
            return "what was laid out does not open"
        }
        guard (signed.trailer["AuthCode"] != nil) == (seal != nil) else {
            return "the trailer and the seal differ"
        }
        _ = try? seal?.attribute(digest: .sha256, dataDigest: keyBytes, signature: keyBytes)
        return nil
    }

    private static func open(_ bytes: [UInt8]) throws(PDFError) -> PDFDocument {
        try PDFDocument(
            source: MemorySource(bytes),
            options: PDFOptions(
                decryption: PDFDecryption(
                    cryptography: DocumentCryptography(),
                    // A seed and, big-endian, permissions that demand a code.
                    openEnvelope: { _ in
                        [UInt8](repeating: 7, count: 20) + [0xFF, 0xFF, 0xEF, 0xFF]
                    }, password: { _ in Array("user".utf8) })))
    }

    /// A document with one page and the parts of the input.
    private static func document(
        encryption: [UInt8], trailer: [UInt8], objects: [UInt8]
    ) -> [UInt8] {
        var bytes = FuzzDocuments.body
        var offsets = FuzzDocuments.bodyOffsets + [bytes.count]
        bytes += Array("3 0 obj\n".utf8) + encryption + Array("\nendobj\n".utf8)
        for number in 4...6 {
            guard let start = objects.firstRange(of: Array("\(number) 0 obj".utf8)) else { break }
            offsets.append(bytes.count + start.lowerBound)
        }
        bytes += objects
        let entries = offsets.map { offset in
            let digits = String(offset)
            return String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
        }.joined()
        let size = offsets.count + 1
        let table =
            "\nxref\n0 \(size)\n0000000000 65535 f \n" + entries
            + "trailer\n<</Size \(size)/Root 1 0 R/Encrypt 3 0 R/ID[<00><00>]"
        let start = bytes.count + 1
        bytes += Array(table.utf8) + trailer
        return bytes + Array(">>\nstartxref\n\(start)\n%%EOF\n".utf8)
    }
}
