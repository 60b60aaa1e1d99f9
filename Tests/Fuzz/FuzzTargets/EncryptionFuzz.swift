import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import TrustKit

/// Parses encryption data and MACs. The input is one of:
///
/// - A CMS message, recognized by its first byte: an envelope for certificate holders, a MAC token,
///   or a signature to which a MAC is added.
/// - An encryption dictionary, further trailer entries and further objects, separated by a line
///   `---`.
enum EncryptionFuzz {
    static func failure(of bytes: [UInt8]) -> String? {
        bytes.first == 0x30 ? messageFailure(of: bytes) : documentFailure(of: bytes)
    }

    // MARK: Messages

    private static let keyBytes = [UInt8](repeating: 5, count: 32)
    /// Private keys that decrypt only the seeds, PKCS#8 in hexadecimal: P-256, X25519 and RSA.
    private static let recipientKeys = [
        "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420068d4682"
            + "3af2c613f75eccd03e410b060b3b543a1278e5cf9203f483200cf087a144034200048a0b667f8b84"
            + "9f96248a331138e6bb5705272d5f70c17aafc9d0ce47f5856675681703faada6b9c1a9518f9233c9"
            + "a8b22e5fe3d277ffc974fad2e94bd787379d",
        "302e020100300506032b656e04220420" + String(repeating: "07", count: 32),
        "30820277020100300d06092a864886f70d0101010500048202613082025d02010002818100fd427b"
            + "29bf642cfbba0820aab8580c27a95dae0d6d122ad5f14f97b1fa3a9e74603179224558e89b7e1cab"
            + "19b5ff0becfe47acfc001857837b5d80cd83efce41ca3e2f3d1ff315160708fee1de2d813d490d33"
            + "3e6d845968911ef4d633796f98f960b800941402c83c35b5e6394d1192591086999a1d5d50eaec71"
            + "9960e426130203010001028180481ef181eefdf10d7269b41bc9c95114ce575e2476a610cac2205f"
            + "5b909db6d7ff38b77d39f05ab5451196ec0876ec077e561cfdda6d1426de2fbf6947243840d4f810"
            + "08328e93aec353b49c553673a0607dff6ba7107bf92976548e6b2767ab25b66bee9fbf25aad54016"
            + "a388872e3c81887abafc00fa2c45d5f6171c4846c9024100ffcf89c4f933095327bd10f13780e0d8"
            + "7610fd72f77cd843f04afb69ca234e35f3f4fce9809eefbe95f5dd194c3fecd7b549af420b4eda68"
            + "a350eb2ec16036d5024100fd7275ad022f0dde74fbcbb3b1fae5d86359ecfd65de6bed81e7380f04"
            + "3b23492fd6f296a275c1294bad60e44fa725b18c6e3d55cac01b29928a48a9630bad4702410088a2"
            + "94c6c6085199bde709ae9de3d3b52ad3065d2afddf11e2be5a2d764f874de0216219629f02153d4a"
            + "16af957fab84c80b3476454df7f0de12b19bc6a41a85024100acac10b4406aa27e4f21459535cb04"
            + "513acf078154a806cc17d6da0091176160f970ee71e65967b2a4d688cec3ddd2f676009d5517ff6e"
            + "0212ce97d69f9e52fd024022675139f98b760cb9517da080f15310ad7d0541c19aff9cdc33dc105c"
            + "69a4e72287475544fbd8bd1016a2858225a9eb46507bf298d65783edd40fa4bd7dab51",
    ]
    private static let recipients = recipientKeys.compactMap { text in
        try? CredentialReader.read(SecretBytes(copying: Hex.decode(Array(text.utf8)) ?? [])) {
            () throws(CryptoError) in nil
        }.key
    }

    private static func messageFailure(of bytes: [UInt8]) -> String? {
        if let envelope = try? EnvelopedData(bytes) {
            _ = (envelope.recipientCount, envelope.recipients(limit: 16))
            for key in recipients.compactMap(PrivateEnvelopeKey.init) {
                for share in (try? key.shares(of: envelope, certificates: [])) ?? [] {
                    _ = try? share.open(with: key)
                }
            }
            FuzzEnvelopeKey.open(envelope)
        }
        if let token = try? IntegrityToken(bytes) {
            let digest = [UInt8](repeating: 6, count: token.digestAlgorithm.byteCount)
            for signature in [nil, digest] {
                // Only the seeds contain MACs with this key.
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
            // The added attribute may exceed the limit of attributes.
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

    /// Prepares a signature. With a MAC, the trailer must refer to it.
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
                    // 20 bytes of seed, then permissions that require a MAC (big-endian).
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
