import Base
import CMSKit
import PDFSigning
import SystemBridge

extension SignDocument {
    /// A task for ``prepareRemotely(_:into:toSign:leavesRoomForTimestamp:)`` only, for a service that
    /// returns a whole CMS signature with a certificate that is not known yet.
    ///
    /// - Parameters:
    ///   - name: the signer's name in the signature appearance; nil if it is not known.
    ///   - password: for encrypted documents.
    /// - Throws: ``SignetError``.
    public init(
        signerNamed name: String?, options: SigningOptions, password: DocumentPassword? = nil
    ) throws {
        guard options.padding == .pkcs1 else {
            throw SignetError(
                .usage, "the padding is chosen by the service, whose certificate is not given",
                hint: Sentence(.leaveItOut))
        }
        self.init(
            credential: try StandInCredential.make(named: name), options: options,
            password: password)
    }

    /// First step of a two-step signature: writes everything except the signature value. The
    /// document's digest is in the signed attributes, whose hash is written for an external key.
    /// For a service that returns a whole CMS signature, it is the document's digest itself.
    ///
    /// - Parameters:
    ///   - outputs: destinations of the bytes to sign; without any, they can be read from the
    ///     prepared document, see ``EmbedSignature``.
    ///   - leavesRoomForTimestamp: whether to reserve space for a timestamp in the second step.
    /// - Throws: ``SignetError``.
    public func prepareRemotely(
        _ source: InputSource, into destination: Destination,
        toSign outputs: BytesToSign = BytesToSign(), leavesRoomForTimestamp: Bool = false
    ) throws -> PreparedDocument {
        let isForService = credential.certificate.isStandIn
        let ofContent = options.statements.stampsContent ? Self.contentTokenByteCount / 2 : 0
        return try reading(source.name) {
            try writeRemotely(
                ScannedInput(source.open()), into: destination, outputs,
                tokenByteCount: isForService
                    ? Self.serviceMessageByteCount
                    : leavesRoomForTimestamp ? TimestampAuthorities.generousByteCount : ofContent)
        }
    }

    /// Space in bytes for the certificates, validation data and timestamp in a CMS of a service.
    private static let serviceMessageByteCount = 48 * 1024

    /// Space in bytes for a content timestamp only: less than the space by which the second step
    /// recognizes level B-T.
    private static let contentTokenByteCount = 12 * 1024

    private func writeRemotely(
        _ file: ScannedInput, into destination: Destination, _ outputs: BytesToSign,
        tokenByteCount: Int
    ) throws -> PreparedDocument {
        let input = file.file.path
        let plan = try plan(for: file)
        let hashOutput = try outputs.hash?.output()
        let messageOutput = try outputs.message?.output()
        try file.copy(to: destination, hashing: plan.builder.signer.digest, source: input)
        let (update, shown) = try makeUpdate(by: plan, of: file, tokenByteCount: tokenByteCount)
        let (hashed, builder, stamp) = try stamped(file.hash(with: update, source: input), plan)
        let message = try reading(input) {
            try builder.prepare(messageDigest: hashed.messageDigest)
        }
        let isForService = credential.certificate.isStandIn
        guard !isForService || plan.seal == nil else {
            throw SignetError(
                .usage, file: input,
                "the PDF has a message authentication code, which requires the certificate now",
                hint: Sentence(.addCertificate))
        }
        let toBeSigned =
            isForService
            ? .digest(hashed.messageDigest)
            : try reading(input) { try SigningInput(toBeSignedOf: message) }
        let output = try hashed.holding(
            try reading(input) { try message.encodedWithoutSignature() })
        try writing(destination.path) {
            try hashOutput?.write(HashOptions().encode(toBeSigned.bytes, as: outputs.encoding))
            try messageOutput?.write(message.toBeSigned)
            try AtomicOutput.commit(
                [output] + [hashOutput, messageOutput].compactMap(\.self))
        }
        return PreparedDocument(
            file: input, output: destination.path, toSign: outputs.hash?.path,
            toSignMessage: outputs.message?.path,
            hash: toBeSigned.isDigest ? Hex.encode(toBeSigned.bytes) : nil,
            input: isForService ? "document" : toBeSigned.isDigest ? "hash" : "data",
            field: plan.target.name,
            digest: shown.digest,
            algorithm: shown.algorithm, claimedTime: shown.claimedTime, marks: shown.marks,
            demands: shown.demands, visible: shown.visible, widgets: shown.widgets,
            dynamicContent: plan.content, notes: shown.notes,
            warnings: shown.warnings + (stamp?.advice ?? []),
            summary: shown.summary)
    }
}
