public import Base
import CryptoBridge
import PDFCore
import SystemBridge
import TrustKit

/// The formats of imported lists of trust anchors; the raw value is the name for verification.
public enum AnchorListKind: String, CaseIterable, Sendable {
    /// Adobe's security settings with the Adobe Approved Trust List: a PDF with XML, or the XML.
    case aatl
    /// Mozilla's `certdata.txt`.
    case mozilla
}

/// Imports a list of trust anchors from a file, and stores it. Nothing is downloaded.
public struct ImportTrustAnchors: Sendable {
    /// The format of the list.
    public let kind: AnchorListKind
    /// Path of the list.
    public let file: String
    /// Files with trust anchors for the signature of the list.
    public var anchors: [String] = []

    /// - Parameter file: path of the list.
    public init(_ kind: AnchorListKind, file: String) {
        self.kind = kind
        self.file = file
    }

    /// Reads the list, verifies its signature, and replaces the stored list of this kind.
    ///
    /// - Throws: ``SignetError``: `malformedInput` for another format or without trust anchor,
    ///   `wrongAnswer` for an invalid signature and for a list older than the stored one,
    ///   `credentialRefused` for an unconfirmed signer, and for an unsigned list if the stored one is
    ///   signed.
    public func run() throws -> ImportedTrustAnchors {
        let given = try reading(file) {
            try FileSystem.readAll(file, limit: TrustListLimits.byteCount)
        }
        let signed =
            kind == .aatl && given.starts(with: Self.pdfStart) ? try signedList(given) : nil
        if signed == nil, !anchors.isEmpty {
            throw SignetError(
                .credentialRefused, file: file,
                "the list is not signed, so no trust anchor can confirm it")
        }
        if kind == .aatl, signed == nil, given.first(where: { $0 > 0x20 }) != UInt8(ascii: "<"),
            !given.starts(with: Self.byteOrderMark)
        {
            throw SignetError(
                .malformedInput, file: file, "the list is neither a PDF nor XML",
                hint: Sentence(.giveSecuritySettings))
        }
        let list = signed?.list ?? given
        let found = try Self.read(kind, list, file: file)
        let hash = Hex.encode(try DigestAlgorithm.sha256.hash(list))
        let now = SystemClock.now()
        let entry = TrustListCache.Entry(
            location: file, sequence: 0, issued: signed?.time?.description ?? "", nextUpdate: nil,
            sha256: hash, fetched: now.rfc3339)
        try TrustListCache.changing(root: Self.root()) { cache in
            var state = cache.state
            if let stored = state.lists[kind.rawValue],
                let last = CalendarTime(rfc3339: stored.issued)
            {
                try requireNewer(than: last, signed, in: cache.root)
            }
            state.lists[kind.rawValue] = entry
            try cache.replace(with: state, documents: [hash: list])
        }
        return ImportedTrustAnchors(
            name: kind.rawValue, file: file, anchorCount: found.anchors.count, sha256: hash,
            signer: signed?.signer, issued: signed?.time)
    }

    /// A signed list is replaced by newer signed lists only.
    private func requireNewer(
        than last: CalendarTime, _ signed: SignedSettings?, in folder: String
    ) throws {
        let hint = Sentence(.removeStoredList, folder)
        guard let signed else {
            throw SignetError(
                .credentialRefused, file: file, "the list is not signed, but the stored one is",
                hint: hint)
        }
        guard let time = signed.time, time.time >= last else {
            throw SignetError(
                .wrongAnswer, file: file,
                "the list is older than the stored one, which was signed at \(Moment(last).text)",
                hint: hint)
        }
    }

    static func stored(_ kind: AnchorListKind) throws -> AnchorList {
        let cache = try TrustListCache(root: Self.root())
        guard let entry = cache.state.lists[kind.rawValue] else {
            throw SignetError(
                .missingInput, file: cache.root, "no list \(kind.rawValue) is stored",
                hint: Sentence(.importList, kind.rawValue))
        }
        do {
            let list = try cache.read(entry.sha256)
            guard Hex.encode(try DigestAlgorithm.sha256.hash(list)) == entry.sha256 else {
                throw SignetError(
                    .malformedInput, file: cache.root, "the stored list was modified",
                    hint: Sentence(.importList, kind.rawValue))
            }
            return try read(kind, list, file: cache.root)
        } catch let error as TrustListError {
            throw SignetError(error, file: cache.root)
        }
    }

    private static func root() throws -> String {
        try IdentityStore.defaultRoot() + "/trust/anchors"
    }

    private static func read(
        _ kind: AnchorListKind, _ document: [UInt8], file: String
    ) throws -> AnchorList {
        do {
            return switch kind {
            case .aatl: try AnchorList(securitySettings: document)
            case .mozilla: try AnchorList(certdata: document)
            }
        } catch {
            throw SignetError(error, file: file)
        }
    }

    // MARK: Lists in PDFs

    private static let pdfStart = Array("%PDF-".utf8)
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private struct SignedSettings {
        let list: [UInt8]
        let signer: String
        let time: Moment?
    }

    /// The list embedded in a PDF. Its signature must be valid at the claimed signing time, like that
    /// of a European list, and cover the whole file.
    private func signedList(_ document: [UInt8]) throws -> SignedSettings {
        guard !anchors.isEmpty else {
            throw SignetError(
                .credentialRefused, file: file,
                "the list is signed, but no trust anchor for its signature is given",
                hint: Sentence(.confirmListSigner, file))
        }
        let source = InputSource.bytes(document, name: file)
        var options = VerificationOptions(trust: anchors)
        let claimed = try VerifyDocument(options).run(source).signatures.first
        if let time = claimed?.claimedTime?.time, time > SystemClock.now() {
            throw SignetError(
                .wrongAnswer, file: file,
                "the signing time of the list is in the future (\(Moment(time).text))")
        }
        options.time = claimed?.claimedTime
        let verified = try VerifyDocument(options).run(source)
        guard let signature = verified.signatures.first, verified.signatures.count == 1,
            let signer = signature.signer?.subject
        else {
            throw SignetError(.wrongAnswer, file: file, "the list must have exactly one signature")
        }
        guard verified.verdict == .passed, signature.coverage == .wholeFile else {
            let reason = (signature.problems + verified.problems).first?.message
            throw SignetError(
                verified.verdict == .failed ? .wrongAnswer : .credentialRefused, file: file,
                "the signature of the list is not valid"
                    + (reason.map { ": \($0)" } ?? ""))
        }
        let list = try reading(file) {
            try PDFDocument(source: MemorySource(document)).embeddedFile(
                AnchorList.securitySettingsName, byteLimit: TrustListLimits.byteCount)
        }
        guard let list else {
            throw SignetError(
                .malformedInput, file: file,
                "the PDF does not contain \(AnchorList.securitySettingsName)")
        }
        return SignedSettings(list: list, signer: signer, time: signature.claimedTime)
    }
}

/// An imported list of trust anchors.
public struct ImportedTrustAnchors: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.trust-import/1"
    /// Name for `verify --trust-list`.
    public let name: String
    /// Path of the imported file.
    public let file: String
    /// Number of trust anchors in the list, at least 1.
    public let anchorCount: Int
    /// SHA-256 of the list, hexadecimal.
    public let sha256: String
    /// Subject of the certificate that signed the list; nil if the list is not signed.
    @Nullable public private(set) var signer: String?
    /// Claimed signing time; nil if the list is not signed.
    @Nullable public private(set) var issued: Moment?
}
