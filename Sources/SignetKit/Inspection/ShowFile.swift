internal import Base
import CodecBridge
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import Pages
import SystemBridge

/// Describes a file: PDF, key, certificates, CSR, PKCS#12, CMS, CRL, timestamp request, response or
/// token, evidence record, container, or picture (``PictureFormats``). The type is detected by
/// content.
public struct ShowFile: Sendable {
    private let passphrase: PassphraseSource
    private let password: DocumentPassword?

    /// - Parameters:
    ///   - passphrase: for encrypted keys.
    ///   - password: for encrypted documents.
    public init(passphrase: PassphraseSource, password: DocumentPassword? = nil) {
        self.passphrase = passphrase
        self.password = password
    }

    /// The items in the file: a bundle may contain a key and several certificates.
    ///
    /// - Throws: ``SignetError``: `malformedInput` for an unknown format.
    public func run(_ source: InputSource) throws -> [ShownArtefact] {
        let input = source.name
        return try reading(input) {
            let file = try source.open()
            guard file.byteCount > 0 else {
                throw SignetError(.malformedInput, file: input, "the file is empty")
            }
            switch try FileKind(of: file) {
            case .pdf: return [.pdf(try describe(file, path: input))]
            case .message: return try describeMessage(file, path: input)
            case .timestamp:
                return [.timestamp(ShownTimestamp(try TimestampInput.reply(in: file), file: input))]
            case .evidenceRecord:
                return [
                    .evidenceRecord(
                        ShownEvidenceRecord(try EvidenceRecordFile.read(file), file: input))
                ]
            case .photo:
                let photo = try Photo(file)
                return [.photo(try ShownPhoto(photo, file: input, byteCount: file.byteCount))]
            case .other:
                if try ContainerFile.isContainer(file) {
                    return [.container(try ShownContainer(file, name: input))]
                }
                guard let format = try PictureFormat(of: file), format.isRaster else {
                    return try describeCredentials(file, path: input)
                }
                let picture = try RasterPicture(file, format)
                return [
                    .photo(try ShownPhoto(picture, format, file: input, byteCount: file.byteCount))
                ]
            }
        }
    }

    /// Whether a DER message is enveloped, encrypted or authenticated-enveloped data (RFC 5652, RFC
    /// 5083), by its content type.
    private static func isEncryptedMessage(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == ASN1Tag.sequence, let head = ASN1Node.headByteCount(in: bytes) else {
            return false
        }
        return [OID.envelopedData, .encryptedData, .authEnvelopedData].contains { type in
            bytes.dropFirst(head).starts(with: DERWriter.objectIdentifier(type))
        }
    }

    private func describeCredentials(
        _ file: InputFile, path: String
    ) throws -> [ShownArtefact] {
        let head = try file.bytes(at: 0, count: min(file.byteCount, FoundFile.headByteCount))
        if let found = FoundFile(head: head), !found.isDescribed {
            throw SignetError(
                .malformedInput, file: path,
                "the file is \(found.name), which 'show' does not describe",
                hint: found.hint?.naming(path))
        }
        guard file.byteCount <= SigningCredential.byteLimit else { throw unknown(path) }
        let bytes = try file.bytes(at: 0, count: file.byteCount)
        guard !Self.isEncryptedMessage(MessageFile.decodedHead(bytes)) else {
            throw SignetError(
                .malformedInput, file: path,
                "the file is encrypted CMS (EnvelopedData), without a signature",
                hint: Sentence(.decryptFirst))
        }
        if let certificates = try? Certificate.readAll(bytes), !certificates.isEmpty,
            bytes.firstRange(of: Array("PRIVATE KEY".utf8), from: 0) == nil
        {
            return try certificates.map { .certificate(try ShownCertificate($0, file: path)) }
        }
        if let request = try? CertificateRequest.read(bytes) {
            return [.request(try ShownRequest(request, file: path))]
        }
        if let list = RevocationList(bytes) {
            return [.revocationList(ShownRevocationList(list, file: path))]
        }
        if let response = OCSPResponse(bytes).flatMap({ ShownOCSPResponse($0, file: path) }) {
            return [.ocspResponse(response)]
        }
        if let request = try? TimestampInput.request(in: file) {
            return [.timestampRequest(ShownTimestampRequest(request, file: path))]
        }
        do {
            let key = try PublicKey.read(bytes)
            return [.key(try describe(key, isPrivate: false, path: path))]
        } catch let error as CryptoError
            where error.code == .unsupportedAlgorithm
            && bytes.firstRange(of: Array("PUBLIC KEY-----".utf8), from: 0) != nil
        {
            throw error
        } catch {}
        return try describeBundle(bytes, path: path)
    }

    private func describeBundle(_ bytes: [UInt8], path: String) throws -> [ShownArtefact] {
        let bundle: CredentialBundle
        SecretBytes.protectProcess()
        do {
            bundle = try SigningCredential.read(SecretBytes(copying: bytes), passphrase)
        } catch let error as CryptoError where error.code == .unrecognisedFormat {
            // A PEM file is identified by the labels of its blocks.
            if bytes.firstRange(of: Array("-----BEGIN ".utf8), from: 0) != nil { throw error }
            throw unknown(path)
        }
        var shown: [ShownArtefact] = []
        if let summary = PKCS12Summary(bytes) {
            shown.append(
                .pkcs12(
                    ShownPKCS12(
                        file: path, holdsKey: bundle.key != nil, keys: bundle.keys.count,
                        certificates: bundle.certificates.count, macDigest: summary.macDigest,
                        macIterations: summary.macIterations)))
        }
        for key in bundle.keys {
            var described = try describe(key.publicKey, isPrivate: true, path: path)
            described.alias = bundle.alias(of: key)
            described.localKeyID = bundle.localKeyID(of: key).map { Hex.encode($0) }
            if let certificate = bundle.certificate(of: key) {
                described.certificateSHA256 = Hex.encode(try certificate.sha256)
                described.holder = certificate.displayName
            }
            shown.append(.key(described))
        }
        shown += try bundle.certificates.map { .certificate(try ShownCertificate($0, file: path)) }
        guard !shown.isEmpty else { throw unknown(path) }
        return shown
    }

    private func unknown(_ path: String) -> SignetError {
        SignetError(
            .malformedInput, file: path,
            "unknown file type: not a PDF, image, key, PKCS#12 file, certificate, CSR, CMS structure, CRL, "
                + "OCSP response or timestamp",
            hint: Sentence(.identifyFile, path))
    }

    private func describe(_ key: PublicKey, isPrivate: Bool, path: String) throws -> ShownKey {
        ShownKey(
            file: path, isPrivate: isPrivate, algorithm: key.algorithm.description,
            publicKeySHA256: Hex.encode(try DigestAlgorithm.sha256.hash(key.spkiDER)))
    }

    private func describe(_ file: InputFile, path: String) throws -> ShownPDF {
        let document = try PDFDocument.open(file, path: path, password: password)
        let form = try AcroForm(of: document)
        let fields = try form.fields.map { field in
            let signature = field.claimedSignature(in: document)
            return ShownPDF.Field(
                name: field.fullName.text, type: Self.typeName(field.type),
                isSigned: try field.isSignature
                    && document.resolve(field.value ?? .null) != .null,
                isPending: try PendingSignature.waits(in: field, of: document),
                value: try Self.value(of: field, in: document),
                signer: signature?.signer, time: signature?.time?.moment,
                isTimestamp: signature?.kind == .timestamp,
                statements: (signature?.statements).flatMap { VerifiedStatements(shown: $0) },
                location: signature?.location)
        }
        let count = try document.pageCount()
        let code = try IntegrityCodeReport(unchecked: document)
        let first = count > 0 ? try document.page(at: 0) : nil
        let doubts = try Self.doubts(about: document, form)
        return ShownPDF(
            file: path, byteCount: file.byteCount, version: document.version.description,
            pages: count,
            firstPage: first.map { page in
                let isSideways = page.rotate == 90 || page.rotate == 270
                return ShownPDF.Page(
                    width: (isSideways ? page.cropBox.height : page.cropBox.width) * page.userUnit,
                    height: (isSideways ? page.cropBox.width : page.cropBox.height) * page.userUnit,
                    rotation: page.rotate)
            }, revisions: document.revisionCount,
            crossReference: document.sections.first?.kind == .stream ? "stream" : "table",
            fields: fields, signatures: fields.filter(\.isSigned).count,
            certification: try SigningPermission.certification(of: document),
            hasUsageRights: try SigningPermission.hasUsageRights(document),
            claims: DocumentClaims(of: document).names,
            encryption: document.encryption.map { encryption in
                ShownPDF.Encryption(
                    method: encryption.methodName, revision: encryption.revision ?? 0,
                    encryptsMetadata: encryption.encryptsMetadata,
                    onlyAttachments: encryption.leavesDocumentOpen,
                    integrityCodeDemanded: encryption.demandsIntegrityCode,
                    integrityCode: code?.isPresent == true
                        ? code?.location?.rawValue ?? "unreadable" : nil,
                    integrityCodeDigest: code?.digest?.rawValue,
                    openedAs: encryption.access.rawValue, permissions: encryption.permissions.names,
                    recipients: DocumentRecipient.names(of: encryption.envelopes))
            },
            dynamicContent: ShownDynamicContent(
                DynamicContent(of: document, form: form, effort: .thorough), doubts: doubts),
            validationData: try ShownValidationData(document),
            warnings: document.warnings.map(\.description))
    }

    /// The structural problems that `verify` reports, or the reason why the document cannot be
    /// read.
    private static func doubts(
        about document: PDFDocument, _ form: AcroForm
    ) throws -> (lines: [String], isComplete: Bool) {
        do {
            return try DocumentStructure.doubts(about: document, form: form, effort: .thorough)
        } catch let error as PDFError where error.code != .readFailed {
            return (["the displayed content cannot be read: \(error.detail)"], true)
        }
    }

    /// The value of a field that is not a signature; nil without one, and for a password.
    private static func value(
        of field: FormField, in document: PDFDocument
    ) throws(PDFError) -> String? {
        guard !field.isSignature, let object = field.value,
            try (document.inherited("Ff", of: field.dictionary)?.integerValue ?? 0)
                & FieldFlags.password == 0
        else { return nil }
        let value = try document.resolve(object)
        var parts: [String] = []
        for part in value.arrayValue?.prefix(100) ?? [value] {
            let part = try document.resolve(part)
            if let bytes = part.stringValue {
                parts.append(PDFString(bytes: bytes, isHexadecimal: false).text)
            } else if let name = part.nameValue {
                parts.append("\(name)")
            }
        }
        let text = parts.joined(separator: ", ")
        return text.isEmpty ? nil : String(text.prefix(1000))
    }

    private static func typeName(_ type: PDFName?) -> String {
        switch type {
        case "Tx"?: "text"
        case "Btn"?: "button"
        case "Ch"?: "choice"
        case "Sig"?: "signature"
        default: "unknown"
        }
    }
}
