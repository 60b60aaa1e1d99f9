import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TimestampKit
import TrustKit

/// Verifies time-stamp responses and tokens (RFC 3161) against one set of trust anchors.
public struct VerifyTimestamp: Sendable {
    private let validator: PathValidator
    private let time: CalendarTime
    private let trust: TrustSettings
    private let fetcher: RevocationFetcher?
    /// Whether the result is to bring the hashes of time stamp and content, for a report.
    public var keepsHash = false

    /// - Throws: ``SignetError`` for files that the options name and that cannot be read.
    public init(_ options: VerificationOptions = VerificationOptions()) throws {
        trust = try TrustSettings(options)
        fetcher = options.fetcher
        time = options.time?.time ?? SystemClock.now()
        validator = trust.validator(at: options.time?.time)
    }

    private var verifier: TimestampVerifier {
        var verifier = TimestampVerifier(validator, time: time)
        verifier.pinned = trust.pinned
        verifier.additionalCertificates = validator.intermediates
        // A file of anchors often brings the authority's certificate along.
        if case .certificates(let anchors) = validator.anchors {
            verifier.additionalCertificates += anchors
        }
        return verifier
    }

    /// Only unreadable input throws; a bad time stamp is an answer.
    ///
    /// - Parameters:
    ///   - source: a response or a token: DER, PEM or base64.
    ///   - content: what was stamped; nil, with no hash either, looks beside a file, where its name
    ///     without the suffix leads.
    ///   - hash: the stamped hash in hexadecimal, instead.
    ///   - request: the request that was answered: nonce and policy are compared as well.
    public func run(
        _ source: InputSource, content: InputSource? = nil, hash: String? = nil,
        request: InputSource? = nil
    ) throws -> VerifiedDocument {
        let input = source.name
        fetcher?.beginFile()
        trust.beginFile()
        let file = try reading(input) { try source.open() }
        let reply = try reading(input) { try TimestampInput.reply(in: file) }
        let asked = try request.map { request in
            try reading(request.name) { try TimestampInput.request(in: request.open()) }
        }
        // Also beside a request: whoever sees both files takes the one for the other's time stamp.
        let stamped =
            try hash == nil
            ? content ?? source.path.flatMap(CompanionFile.path).map(InputSource.file) : nil
        guard stamped != nil || hash != nil || asked != nil || reply.token == nil else {
            throw SignetError(
                .missingInput, file: input, "the stamped file is not beside it",
                hint: Sentence(.giveContent))
        }
        let expected = try reply.token.flatMap { token in
            try expectedHash(input, token.info.messageImprint, stamped, hash)
        }
        let check = try reading(input) {
            try verifier.verify(reply, request: asked, hash: expected).standingAlone(verifier)
        }
        let qualified = trust.trustLists?.finding(
            about: .init(
                kind: .timestamp, verdict: check.verdict, signer: check.signer,
                authority: check.signer, stampedTime: check.info?.genTime.time, provenTime: nil,
                now: verifier.time))
        var document = try VerifiedDocument(
            file: input, verdict: VerifiedDocument.Verdict(check.verdict),
            signatures: [
                VerifiedSignature(check, qualified?.timestamp, contentFile: stamped?.name)
            ], warnings: trust.warnings)
        document.trustLists = trust.trustLists?.used
        document.certificates = reply.token?.signedData.carriedCertificates ?? []
        if let token = reply.token {
            document.signatures[0].record.value = check.signature?.signature ?? []
            document.signatures[0].record.token = token.encoded
            document.signatures[0].record.adopt(check.chain, of: check.signer, check.revocation)
        }
        if keepsHash {
            document.content = try reading(input) { try Self.contentHash(file) }
            document.signedContent = try stamped.map { stamped in
                try reading(stamped.name) { try Self.contentHash(stamped.open()) }
            }
        }
        return document
    }

    private static func contentHash(_ file: InputFile) throws -> (sha256: String, byteCount: Int) {
        (try FileHash.sha256(of: file), file.byteCount)
    }

    /// A hash in hexadecimal, its algorithm before a colon. Without one it is of the SHA-2 family,
    /// or older: others have hashes of the same lengths.
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
                "the stamped hash is \(stamped.displayName), the given one is "
                    + (named?.displayName ?? (parts.count == 2 ? "unknown" : "without a name")),
                hint: Sentence(.giveHash, stamped.rawValue))
        }
        return bytes
    }

    /// The hash that should be stamped, by the algorithm of the one that is; nil when the request
    /// alone tells, and for algorithms that are unknown.
    private func expectedHash(
        _ input: String, _ imprint: MessageImprint, _ content: InputSource?, _ hash: String?
    ) throws -> [UInt8]? {
        if let hash {
            let bytes = try Self.typed(hash, imprint, input)
            guard bytes.count == imprint.hashedMessage.count else {
                throw SignetError(
                    .usage, file: input,
                    "a hash of \(bytes.count) bytes is given, one of "
                        + "\(imprint.hashedMessage.count) bytes was stamped",
                    hint: Sentence(.seeAlgorithm, input))
            }
            return bytes
        }
        guard let content else { return nil }
        return try imprint.digest.map { try HashOptions.digest($0, of: content) }
    }
}

extension VerifiedSignature {
    /// A time stamp's answer, in the shape of any signature's.
    fileprivate init(
        _ check: TimestampCheck, _ qualification: VerifiedTimestampQualification?,
        contentFile: String?
    ) throws {
        self.init(
            field: "timestamp", kind: .timestamp, verdict: check.verdict,
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
        record.noteRevocation(of: check.signer)
    }
}
