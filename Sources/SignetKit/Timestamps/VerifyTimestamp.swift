import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TimestampKit
import TrustKit

/// Verifies timestamp responses and tokens (RFC 3161) with one set of trust anchors.
public struct VerifyTimestamp: Sendable {
    private let validator: PathValidator
    private let time: CalendarTime
    var trust: TrustSettings
    var fetcher: RevocationFetcher?
    /// Whether the result contains the hashes of timestamp and content, for a report.
    public var keepsHash = false

    /// - Throws: ``SignetError`` if a file in the options cannot be read.
    public init(_ options: VerificationOptions = VerificationOptions()) throws {
        self.init(try VerifyMessage(options))
    }

    /// Verifies with the trust settings of `messages`, whose files are not read again.
    package init(_ messages: VerifyMessage) {
        (trust, fetcher, keepsHash) = (messages.trust, messages.fetcher, messages.keepsHash)
        time = messages.time ?? SystemClock.now()
        validator = trust.validator(at: messages.time)
    }

    var verifier: TimestampVerifier {
        var verifier = TimestampVerifier(validator, time: time)
        verifier.pinned = trust.pinned
        verifier.additionalCertificates = validator.intermediates
        // A file of trust anchors often contains the TSA certificate too.
        if case .certificates(let anchors) = validator.anchors {
            verifier.additionalCertificates += anchors
        }
        return verifier
    }

    /// Verifies a timestamp. An invalid timestamp is a result.
    ///
    /// - Parameters:
    ///   - source: a response or a token: DER, PEM or base64.
    ///   - content: the timestamped data; nil, without a hash, uses the file next to it with its
    ///     name without the suffix.
    ///   - hash: the hash of the data in hexadecimal, instead of the data.
    ///   - request: the request, with which nonce and policy are compared too.
    /// - Throws: ``SignetError`` for unreadable input, and if the timestamped data is missing.
    public func run(
        _ source: InputSource, content: InputSource? = nil, hash: String? = nil,
        request: InputSource? = nil
    ) throws -> VerifiedDocument {
        let input = source.name
        beginFile()
        let file = try reading(input) { try source.open() }
        let reply = try reading(input) { try TimestampInput.reply(in: file) }
        let asked = try request.map { request in
            try reading(request.name) { try TimestampInput.request(in: request.open()) }
        }
        // The file next to the timestamp is also used together with a request: users expect the
        // timestamp to belong to it.
        let stamped =
            try hash == nil
            ? content ?? source.path.flatMap(CompanionFile.path).map(InputSource.file) : nil
        guard stamped != nil || hash != nil || asked != nil || reply.token == nil else {
            throw SignetError(
                .missingInput, file: input, "the timestamped file was not found next to it",
                hint: Sentence(.giveContent))
        }
        let expected = try reply.token.flatMap { token in
            try expectedHash(input, token.info.messageImprint, stamped, hash)
        }
        let check = try reading(input) {
            try verifier.verify(reply, request: asked, hash: expected).standingAlone(verifier)
        }
        var document = try VerifiedDocument(
            file: input, verdict: VerifiedDocument.Verdict(check.verdict),
            signatures: [result(for: check, named: "timestamp", contentFile: stamped?.name)],
            warnings: trust.warnings)
        document = try trust.described(document, isReported: keepsHash)
        document.certificates = reply.token?.signedData.carriedCertificates ?? []
        document.signatures[0].record.token = reply.token?.encoded
        if keepsHash {
            document.content = try reading(input) { try Self.contentHash(file) }
            document.signedContent = try stamped.map { stamped in
                try reading(stamped.name) { try Self.contentHash(stamped.open()) }
            }
        }
        return document
    }

    /// Must be called before each file.
    func beginFile() {
        fetcher?.beginFile()
        trust.beginFile()
    }

    /// The result for a timestamp, in the structure of signatures.
    ///
    /// - Parameter contentFile: name of the timestamped data.
    func result(
        for check: TimestampCheck, named field: String, contentFile: String?
    ) throws -> VerifiedSignature {
        try trust.result(for: check, at: time, named: field, contentFile: contentFile)
    }

    private static func contentHash(_ file: InputFile) throws -> (sha256: String, byteCount: Int) {
        (try FileHash.sha256(of: file), file.byteCount)
    }

    /// Decodes a hash in hexadecimal, optionally after its algorithm and a colon. Without an
    /// algorithm, only SHA-2 and older ones are accepted, since other algorithms have the same
    /// lengths.
    private static func typed(
        _ hash: String, _ imprint: MessageImprint, _ input: String
    ) throws -> [UInt8] {
        let parts = hash.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let digits = parts.last, let bytes = Hex.decode(digits.utf8), !bytes.isEmpty else {
            throw SignetError(.usage, "the hash is not hexadecimal")
        }
        guard let stamped = imprint.digest else { return bytes }
        let named = parts.count == 2 ? DigestAlgorithm(name: String(parts[0])) : nil
        let plain: Set<DigestAlgorithm> = [.md5, .sha1, .sha224, .sha256, .sha384, .sha512]
        guard parts.count == 2 ? named == stamped : plain.contains(stamped) else {
            throw SignetError(
                .usage, file: input,
                "the message imprint uses \(stamped.displayName), the given hash uses "
                    + (named?.displayName ?? (parts.count == 2 ? "unknown" : "no algorithm")),
                hint: Sentence(.giveHash, stamped.rawValue))
        }
        return bytes
    }

    /// The expected hash for the algorithm in the message imprint; nil if only the request is
    /// given, and for unknown algorithms.
    private func expectedHash(
        _ input: String, _ imprint: MessageImprint, _ content: InputSource?, _ hash: String?
    ) throws -> [UInt8]? {
        if let hash {
            let bytes = try Self.typed(hash, imprint, input)
            guard bytes.count == imprint.hashedMessage.count else {
                throw SignetError(
                    .usage, file: input,
                    "the given hash has \(bytes.count) bytes, the message imprint "
                        + "\(imprint.hashedMessage.count) bytes",
                    hint: Sentence(.seeAlgorithm, input))
            }
            return bytes
        }
        guard let content else { return nil }
        return try imprint.digest.map { try HashOptions.digest($0, of: content) }
    }
}

extension VerifiedSignature {
    /// The result for a timestamp, in the structure of signatures.
    init(
        _ check: TimestampCheck, _ qualification: VerifiedTimestampQualification?,
        named field: String, contentFile: String?
    ) throws {
        self.init(
            field: field, kind: .timestamp, verdict: check.verdict,
            subindication: check.subIndication, coverage: .wholeFile,
            intact: check.isIntact,
            digest: check.signature?.digest?.rawValue,
            algorithm: check.signature?.scheme?.name,
            timestamp: check.info.map {
                Timestamp(
                    $0, authority: check.signer, isTrusted: check.verdict == .passed,
                    qualification)
            },
            problems: check.problems, contentFile: contentFile)
        try adopt(check.signer, isTrusted: check.isTrusted, check.pathEnd, check.revocation)
        record.noteStatements(of: check.signer)
        record.value = check.signature?.signature ?? []
        record.adopt(check.chain, of: check.signer, check.revocation)
    }
}
