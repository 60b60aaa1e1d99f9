import ByteKit
import CMSKit
import CryptoBridge
import FileBridge
import TimestampKit
import TrustKit

/// Verifies time-stamp responses and tokens (RFC 3161) against one set of trust anchors.
public struct VerifyTimestamp: Sendable {
    private let verifier: TimestampVerifier
    private let fetcher: RevocationFetcher?

    /// - Parameters:
    ///   - trust: files or folders of trust anchors; none means the system's.
    ///   - chain: files with certificates that the token may lack: the authority's own, and those
    ///     between it and the anchor.
    ///   - signer: a file with the one certificate that counts as the authority's. Without `trust`
    ///     it is trusted, without a path to an anchor.
    ///   - revocationLists: files with revocation lists.
    ///   - time: when the question is asked, in seconds since 1970; nil is now.
    ///   - fetcher: fetches revocation data that is missing; nil is no access to the network.
    public init(
        trust: [String] = [], chain: [String] = [], signer: String? = nil,
        revocationLists: [String] = [], time: Int? = nil, fetcher: RevocationFetcher? = nil
    ) throws {
        let settings = try TrustSettings(
            trust: trust, signer: signer, revocationLists: revocationLists, fetcher: fetcher)
        self.fetcher = fetcher
        var verifier = TimestampVerifier(
            anchors: settings.validator.anchors,
            time: time.map { CalendarTime(secondsSinceEpoch: $0) } ?? SystemClock.now())
        verifier.evidence = settings.validator.evidence
        verifier.source = settings.validator.source
        verifier.pinned = settings.pinned
        for file in chain {
            verifier.additionalCertificates += try SigningCredential.readCertificates(file)
        }
        // A file of anchors often brings the authority's certificate along.
        if case .certificates(let anchors) = settings.validator.anchors {
            verifier.additionalCertificates += anchors
        }
        self.verifier = verifier
    }

    /// Only unreadable input throws; a bad time stamp is an answer.
    ///
    /// - Parameters:
    ///   - content: the stamped file; nil, with no hash and no request either, looks beside the
    ///     input, where its name without the suffix leads.
    ///   - hash: the stamped hash in hexadecimal, instead.
    ///   - request: the request that was answered: nonce and policy are compared as well.
    public func run(
        _ input: String, content: String? = nil, hash: String? = nil, request: String? = nil
    ) throws -> VerifiedDocument {
        fetcher?.beginFile()
        let reply = try TimestampInput.readReply(input)
        let asked = try request.map { try TimestampInput.readRequest($0) }
        let expected = try reply.token.flatMap { token in
            try expectedHash(input, token.info.messageImprint, content, hash, asked)
        }
        var check = try reading(input) {
            try verifier.verify(reply, request: asked, hash: expected)
        }
        check.remarkOnUnknownRevocation()
        return try VerifiedDocument(
            file: input, verdict: VerifiedDocument.Verdict(check.verdict),
            signatures: [VerifiedSignature(check)], warnings: [])
    }

    /// The hash that should be stamped, by the algorithm of the one that is; nil when the request
    /// alone tells, and for algorithms that are unknown.
    private func expectedHash(
        _ input: String, _ imprint: MessageImprint, _ content: String?, _ hash: String?,
        _ request: TimestampRequest?
    ) throws -> [UInt8]? {
        if let hash {
            guard let bytes = Hex.decode(hash.utf8), !bytes.isEmpty else {
                throw SignetError(.usage, "the hash is not hexadecimal")
            }
            guard bytes.count == imprint.hashedMessage.count else {
                throw SignetError(
                    .usage, file: input,
                    "a hash of \(bytes.count) bytes is given, one of "
                        + "\(imprint.hashedMessage.count) bytes was stamped",
                    hint: "see its algorithm with: signet show \(input)")
            }
            return bytes
        }
        guard content != nil || request == nil else { return nil }
        let path = try content ?? Self.contentPath(of: input)
        return try imprint.digest.map { try HashOptions.digest($0, of: path) }
    }

    /// `contract.pdf.tsr` stamps `contract.pdf`.
    private static func contentPath(of input: String) throws -> String {
        guard let path = OutputNaming.withoutSuffix(input, [".tsr", ".tst", ".tsp"]) else {
            throw SignetError(
                .missingInput, file: input, "the stamped file is not beside it",
                hint: "name it with --content FILE, or give its hash with --hash")
        }
        return path
    }
}

extension VerifiedSignature {
    /// A time stamp's answer, in the shape of any signature's.
    init(_ check: TimestampCheck) throws {
        self.init(
            field: "timestamp", kind: "timestamp",
            verdict: VerifiedDocument.Verdict(check.verdict),
            subindication: check.subIndication?.rawValue, coverage: "whole-file",
            intact: check.isIntact, trusted: check.isTrusted, changes: "none", changesDetail: [],
            level: nil, subfilter: nil, digest: check.signature?.digest?.rawValue,
            algorithm: check.signature?.scheme?.name,
            signer: try check.signer.map { try VerifiedSignature.Signer($0) }, claimedTime: nil,
            timestamp: check.info.map {
                Timestamp($0, authority: check.signer, isTrusted: check.verdict == .passed)
            },
            certification: nil, name: nil, reason: nil, location: nil,
            problems: check.problems.map { Problem($0, signer: check.signer) })
    }
}
