public import Base
import CMSKit
import CryptoBridge
package import SystemBridge
import TimestampKit

/// The result of signing a file as CMS.
public struct SignedMessage: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.sign/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Path of the output; nil after a check.
    public let output: String?
    /// Whether the content is attached.
    public internal(set) var attached: Bool
    /// The level that verification with the same trust anchors would find.
    public fileprivate(set) var level: SignatureLevel
    /// Digest algorithm, such as `sha256`.
    public let digest: String
    /// Signature algorithm: `rsa-pkcs1`, `rsa-pss`, `ecdsa`, `ed25519` and so on.
    public let algorithm: String
    /// The signer's common name.
    public let signer: String
    /// Claimed signing time.
    public let claimedTime: Moment
    /// Timestamp over the signature value; nil without one.
    public private(set) var timestamp: TimestampReceipt?
    /// Validation data added for B-LT or B-LTA; nil for other levels.
    public private(set) var validationData: ValidationData?
    /// Warnings after success, one sentence each.
    public internal(set) var warnings: [Sentence]

    fileprivate mutating func note(_ stamp: ObtainedTimestamp) {
        timestamp = TimestampReceipt(stamp)
        if !stamp.isTrusted { level = .b }
        warnings += stamp.advice.filter { !warnings.contains($0) }
    }

    fileprivate mutating func note(
        _ data: ValidationData, _ reached: SignatureLevel, _ stamp: ObtainedTimestamp?
    ) {
        validationData = data
        level = reached
        // Long-term validation may use other trust anchors, so the earlier trust note is replaced.
        timestamp?.trusted = true
        let note = stamp?.trustAdvice
        warnings = warnings.filter { $0 != note } + data.warnings.map { Sentence($0) }
    }

    /// One-line summary: `CAdES B-B, detached`.
    public var summary: Sentence {
        let stamped = timestamp?.summary ?? ""
        let format = level.format(hasTimestamp: timestamp != nil)
        return "CAdES \(format.rawValue), \(attached ? "attached" : "detached")\(stamped)"
    }
}

/// Signs any file as CMS with a CAdES baseline level (ETSI EN 319 122-1 §6), detached by default. A
/// detached signature reads the file once, in constant memory.
public struct SignMessage: Sendable {
    private let credential: SigningCredential
    /// Digest algorithm; nil uses SHA-256, or the digest that the key requires.
    public var digest: SigningOptions.Digest?
    /// RSA signature padding; used only for RSA keys.
    public var padding = SigningOptions.Padding.pkcs1
    /// Whether the content is attached to the message.
    public var isAttached = false
    /// Whether the inputs are CMS messages, to which a signer is added.
    public var addsSigner = false
    /// With ``addsSigner``: the content of a detached signature; nil uses the file next to the message
    /// with its name without the suffix.
    public var content: InputSource?
    /// Whether the message is written as PEM instead of DER.
    public var writesPEM = false
    /// Claimed time of signing; nil is now.
    public var claimedTime: Moment?
    /// Statements in signed attributes.
    public var statements = SigningStatements()
    /// TSAs for a timestamp over the signature, level B-T; nil for none.
    public var timestamps: TimestampAuthorities?
    /// Extends signatures to ``longTermLevel``; nil leaves them at B-B or B-T.
    public var longTerm: LongTermValidation?
    /// Level for ``longTerm``: `.lt` or `.lta`.
    public var longTermLevel = SignatureLevel.lta

    /// Maximum size of attached content, in bytes (60 MiB).
    public static let attachedByteLimit = 60 * 1024 * 1024

    /// - Parameter credential: the signer; can be used for any number of files.
    public init(credential: SigningCredential) { self.credential = credential }

    /// Performs all checks of `run` and writes nothing.
    ///
    /// - Throws: ``SignetError``, as `run` would.
    public func check(_ source: InputSource) throws -> SignedMessage {
        let input = source.name
        var (builder, result) = try prepare(input, output: nil)
        _ = try reading(input) { try content(source.open(), builder: builder, input: input) }
        if let longTerm {
            result.warnings += try longTerm.rehearse(credential, file: input).map { Sentence($0) }
            result.level = longTermLevel
        }
        let notes =
            try credential.notTried(builder.signer.scheme)
            + TimestampAuthorities.notAsked(timestamps, longTerm)
        result.warnings += notes.map { Sentence($0) }
        return result
    }

    /// Signs `source` and writes the CMS message to `destination`. After a failure, no output file
    /// remains.
    ///
    /// - Throws: ``SignetError``: among others `credentialRefused` if the credential may not sign,
    ///   before anything is read.
    public func run(_ source: InputSource, into destination: Destination) throws -> SignedMessage {
        try passes(source, into: destination).finish()
    }

    /// The signing operation in passes: announce, sign, extend.
    package func passes(
        _ source: InputSource, into destination: Destination
    ) throws -> Pass<SignedMessage> {
        let input = source.name
        let existing =
            addsSigner
            ? try ExistingMessage(source, isReplaced: destination.isInPlace, content: content)
            : nil
        var (builder, result) = try prepare(input, output: destination.path)
        if let existing {
            builder.contentType = existing.contentType
            result.attached = existing.isAttached
        }
        let output =
            if let existing {
                try destination.output(from: existing.input)
            } else if isAttached {
                try destination.output(madeOf: [source.path].compactMap(\.self))
            } else {
                try destination.output()
            }
        let digests = try reading(input) {
            if let existing { return try existing.digests(neededDigests(builder)) }
            let file = try source.open()
            builder.content = try content(file, builder: builder, input: input)
            return try contentDigests(file, builder: builder)
        }
        if statements.stampsContent, let digest = digests[builder.signer.digest] {
            let (stamped, stamp) = try builder.stamping(digest, by: timestamps)
            builder = stamped
            result.warnings += stamp.advice
        }
        let work = Work(
            builder: builder, digests: digests, input: input, output: output,
            existing: existing, result: result)
        guard credential.consent.signaturesAtOnce > 1 else { return try sign(work) }
        try reading(input) { try builder.announce(messageDigest: work.digest) }
        return .next { try sign(work) }
    }

    /// A file between two passes.
    private struct Work {
        let builder: SignedDataBuilder
        /// Hashes of the content.
        let digests: [DigestAlgorithm: [UInt8]]
        let input: String
        let output: AtomicOutput
        let existing: ExistingMessage?
        var result: SignedMessage

        var digest: [UInt8] {
            get throws {
                guard let digest = digests[builder.signer.digest] else {
                    throw SignetError(.internalFailure, "the content cannot be hashed")
                }
                return digest
            }
        }
    }

    private func sign(_ signing: Work) throws -> Pass<SignedMessage> {
        var work = signing
        let (message, stamp) = try reading(work.input) {
            try work.builder.sign(
                messageDigest: work.digest, timestamps: timestamps, source: credential.source)
        }
        if let stamp { work.result.note(stamp) }
        guard let longTerm else { return .done(try write(message, work)) }
        longTerm.newestStamp.note(stamp)
        let signed = work
        let extend = { () -> SignedMessage in
            var work = signed
            let raised = try reading(work.input) {
                try raise(
                    ArchivedMessage(message, path: work.input, digests: work.digests),
                    by: longTerm, stamp, &work.result)
            }
            return try write(raised, work)
        }
        // Attached contents are not kept in memory until all messages are signed.
        return isAttached ? .done(try extend()) : .next { .done(try extend()) }
    }

    private func write(_ message: [UInt8], _ work: Work) throws -> SignedMessage {
        let bytes =
            try work.existing.map { existing in
                try reading(work.input) { try existing.adding(message, asPEM: writesPEM) }
            } ?? (writesPEM ? PEMWriter.write("CMS", message) : message)
        try writing(work.output.path) {
            try work.output.write(bytes)
            try work.output.commit()
        }
        return work.result
    }

    private func neededDigests(_ builder: SignedDataBuilder) -> Set<DigestAlgorithm> {
        longTerm == nil
            ? [builder.signer.digest] : [builder.signer.digest, LongTermValidation.archiveDigest]
    }

    /// The hashes of the content for the signature and later timestamps.
    private func contentDigests(
        _ file: InputFile, builder: SignedDataBuilder
    ) throws -> [DigestAlgorithm: [UInt8]] {
        let algorithms = neededDigests(builder)
        guard let content = builder.content else {
            return try HashOptions.digests(algorithms, of: file)
        }
        return try algorithms.reduce(into: [:]) { $0[$1] = try $1.hash(content) }
    }

    private func raise(
        _ message: ArchivedMessage, by longTerm: LongTermValidation, _ stamp: ObtainedTimestamp?,
        _ result: inout SignedMessage
    ) throws -> [UInt8] {
        let raised = try credential.namedIfRevoked {
            try longTerm.forFile(of: credential.certificate).extend(message, to: longTermLevel)
        }
        result.note(raised.data, longTermLevel, stamp)
        return raised.message
    }

    private func content(
        _ file: InputFile, builder: SignedDataBuilder, input: String
    ) throws -> [UInt8]? {
        guard isAttached else { return nil }
        guard file.byteCount <= Self.attachedByteLimit else {
            throw SignetError(
                .malformedInput, file: input,
                "the file has \(file.byteCount) bytes; the limit for attached content is \(Self.attachedByteLimit)",
                hint: Sentence(.detach))
        }
        return try file.bytes(at: 0, count: file.byteCount)
    }

    private func prepare(
        _ input: String, output: String?
    ) throws -> (SignedDataBuilder, SignedMessage) {
        let time = claimedTime?.time ?? SystemClock.now()
        let warnings = try credential.checkEligibility(at: time)
        var builder = SignedDataBuilder(
            signer: try reading(credential.source) {
                try credential.signer(digest: digest?.algorithm, padding: padding)
            })
        // Outside PDF the claimed time is a signed attribute (EN 319 122-1 §6.3).
        builder.signingTime = time
        builder.extraSignedAttributes = try statements.attributes(builder.signer.digest)
        return (
            builder,
            SignedMessage(
                file: input, output: output, attached: isAttached,
                level: timestamps == nil ? .b : .t,
                digest: builder.signer.digest.rawValue, algorithm: builder.signer.scheme.name,
                signer: credential.certificate.displayName, claimedTime: time.moment,
                warnings: warnings.map { Sentence($0) })
        )
    }
}
