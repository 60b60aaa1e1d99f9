import Base
import CryptoBridge
import PDFCore
import PDFVerification
import RevisionDiff
import SystemBridge
import TrustKit

/// Checks existing outputs that are not created again.
public struct ExistingOutput: Sendable {
    /// The reason why an existing file is not the signed version of the input.
    public enum Doubt: Sendable, Equatable {
        case unreadable
        /// The file does not begin with the input, although signing appends.
        case otherBeginning
        /// There is no signature after the input.
        case unsigned
        /// There is no valid signature; the value is the reason.
        case badSignature(String)
        /// The end of the file is not signed.
        case addedAfter
        /// The output displays other content than the input (`otherDocument`) or was changed after
        /// signing (`changedAfter`). The value describes the change.
        case otherDocument(String)
        case changedAfter(String)
        /// Signed with another certificate; the value is its subject.
        case otherSigner(String)
        /// The detached signature or timestamp does not match the input.
        case otherContent
    }

    /// The operation that creates the outputs.
    public enum Work: Sendable {
        case signature(by: SigningCredential)
        case timestamp
        /// Validation data and timestamps for long-term validation (ETSI EN 319 142-1 clause 5.5).
        case validationData
    }

    private let work: Work
    private let password: DocumentPassword?
    /// Parts that the output may contain in addition to the signature field.
    private let parts: Set<SignaturePart>

    private static let chunkByteCount = 256 * 1024

    /// Creates a check for signing; certification, a signature appearance and marks are permitted.
    ///
    /// - Parameter password: for encrypted documents.
    public init(of work: Work, password: DocumentPassword? = nil) {
        self.init(of: work, with: [.mark, .certification], password: password)
    }

    init(of work: Work, with parts: Set<SignaturePart>, password: DocumentPassword?) {
        (self.work, self.parts, self.password) = (work, parts, password)
    }

    private var signer: Certificate? {
        if case .signature(let credential) = work { credential.certificate } else { nil }
    }

    /// Reason why an existing file is not the output for an input; nil if it is. For standard
    /// input, nothing is checked.
    ///
    /// The output for a document is the input with appended updates, otherwise its signature or
    /// timestamp. Trust in the signer is not checked.
    ///
    /// - Parameter isDocument: whether the operation treats the input as a PDF.
    public func doubt(about output: String, of input: String, isDocument: Bool) -> Doubt? {
        guard input != "-" else { return nil }
        do {
            return isDocument
                ? try doubt(aboutDocument: output, of: input)
                : try doubt(aboutCompanion: output, of: input)
        } catch {
            return .unreadable
        }
    }

    private func doubt(aboutDocument output: String, of input: String) throws -> Doubt? {
        let (made, given) = (try InputFile(outputOf: output), try InputFile(path: input))
        guard try Self.begins(made, with: given) else { return .otherBeginning }
        guard made.byteCount > given.byteCount else { return .unsigned }
        let now = SystemClock.now()
        let document = try PDFDocument.open(made, path: output, password: password)
        let verifier = DocumentVerifier(
            validator: PathValidator(
                anchors: .certificates([signer].compactMap(\.self)), now: now), time: now)
        let added = try verifier.verify(document).signatures.filter {
            $0.findings?.candidate.coveredByteCount.map { $0 > given.byteCount } ?? false
        }
        if let problem = added.flatMap(\.allProblems).first(where: { $0.verdict == .failed }) {
            return .badSignature(problem.message)
        }
        var ownParts: Set<SignaturePart> = []
        switch work {
        case .signature(let credential):
            let own = added.first { $0.isIntact && $0.signer == credential.certificate }
            guard let own else {
                let other = added.last { $0.kind == .signature }?.signer
                return other.map { .otherSigner($0.displayName) } ?? .unsigned
            }
            if let change = own.findings?.revision.contentChanges.first {
                return .changedAfter(change)
            }
            ownParts = parts.union([.signature(ExactText(own.field))])
        case .timestamp:
            guard added.contains(where: { $0.kind == .timestamp }) else { return .unsigned }
        case .validationData: break
        }
        // Validation data may follow the signature.
        let isClosed = added.compactMap(\.findings?.revision)
            .contains { $0.coverage == .wholeFile || $0.changes <= .archival }
        guard isClosed || added.isEmpty else { return .addedAfter }
        let revisions = AddedRevisions(to: document, behind: given.byteCount) {
            try PDFDocument.open(
                given, path: input, password: password, options: PDFOptions(repair: .whenNeeded))
        }
        return try revisions.change(
            upTo: signer == nil ? .archival : .annotations, besides: ownParts
        ).map(Doubt.otherDocument)
    }

    private func doubt(aboutCompanion output: String, of input: String) throws -> Doubt? {
        let bytes = try FileSystem.readAll(
            InputFile(outputOf: output), limit: MessageFile.byteLimit)
        let made = InputSource.bytes(bytes, name: output)
        guard let signer else {
            let found = try VerifyTimestamp().run(made, content: .file(input)).signatures
            return found.contains(where: \.intact) ? nil : .otherContent
        }
        let hash = Hex.encode(try DigestAlgorithm.sha256.hash(signer.der))
        let found = try VerifyMessage().run(made, content: .file(input)).signatures
        if found.contains(where: { $0.intact && $0.signer?.sha256 == hash }) { return nil }
        guard let other = found.first, other.intact else { return .otherContent }
        return .otherSigner(other.signer?.displayName ?? "")
    }

    private static func begins(_ made: InputFile, with given: InputFile) throws -> Bool {
        guard made.byteCount >= given.byteCount else { return false }
        for offset in stride(from: 0, to: given.byteCount, by: chunkByteCount) {
            let count = min(chunkByteCount, given.byteCount - offset)
            let bytes = try given.bytes(at: offset, count: count)
            guard try bytes == made.bytes(at: offset, count: count) else { return false }
        }
        return true
    }
}

extension SignDocument {
    /// Checks outputs that were created with these settings.
    public var existingOutputs: ExistingOutput {
        var parts: Set<SignaturePart> = []
        if options.marks != nil { parts.insert(.mark) }
        if options.certification != nil { parts.insert(.certification) }
        return ExistingOutput(of: .signature(by: credential), with: parts, password: password)
    }
}
