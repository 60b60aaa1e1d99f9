import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import SystemBridge

/// Warnings and notes for the signer.
extension SignDocument {
    /// Checks existing signatures: a new signature seems to confirm the displayed content. The
    /// document's MACs were checked before: an invalid one is always an error.
    ///
    /// - Returns: messages about them.
    /// - Throws: `earlierSignatureFails` or `earlierSignaturePending`, unless the user permits it.
    func requireGoodSignatures(
        of document: PDFDocument, _ form: AcroForm, _ input: ScannedInput
    ) throws -> [String] {
        let state = try input.signatureState(of: document, form)
        if let first = state.failures.first, !options.allowsFailed {
            let isPending = try form.signatureFields.contains {
                try PendingSignature.waits(in: $0, of: document)
            }
            throw PAdESError(isPending ? .earlierSignaturePending : .earlierSignatureFails, first)
        }
        return state.failures + state.doubts
    }

    /// Rejects a new field with a name similar to an existing field, probably a typing error. Names
    /// that differ in a number are permitted.
    func refuseMistypedName(of target: SignatureTarget, in form: AcroForm) throws {
        guard case .named(let name) = options.field, case .new = target else { return }
        let letters = { (name: String) in name.filter { !$0.isNumber } }
        let waiting = form.signatureFields.filter { $0.value == nil }.map(\.fullName.text)
            .filter { letters($0) != letters(name) }
        guard let near = Spelling.nearest(to: name, in: waiting) else { return }
        throw SignetError(
            .usage, "the document has no field \(name.inQuotes)",
            hint: Sentence(.meantField, near.inQuotes))
    }

    /// Warnings about settings that may not be intended.
    func advice(
        on form: AcroForm, _ target: SignatureTarget, _ marks: SignedDocument.Marks?
    ) -> [Sentence] {
        var advice: [Sentence] = []
        if case .named(let name) = options.field, case .new = target {
            advice.append(
                "the document has no field \(name.inQuotes): a new field is created")
        }
        let algorithm = credential.key.publicKey.algorithm
        if case .quantumSafe = algorithm {
            advice.append(
                Sentence(
                    "\(algorithm) signatures in PDF are experimental: no PDF standard names them, and "
                        + "PDF viewers do not validate them"))
        } else if algorithm.signsMessages {
            advice.append(
                Sentence(
                    "many PDF viewers do not support \(algorithm) signatures"
                        + "; use RSA or ECDSA for all viewers"))
        }
        if let byteCount = picture?.heavyByteCount {
            advice.append(
                Sentence(
                    "the image adds \(byteCount / 1_000_000) MB to each document: use a smaller image, which "
                        + "is sufficient for a signature appearance"))
        }
        if picture?.isDoubtfulInk == true { advice.append(Sentence(.doubtfulInk)) }
        if marks?.pages.isEmpty == true { advice.append(Sentence(.markedNothing)) }
        return advice
    }
}

extension PDFDocument {
    /// A warning if the document has usage rights, which every update ends.
    func usageRightsDoubts() throws -> [String] {
        guard try SigningPermission.hasUsageRights(self) else { return [] }
        return [
            "the document has usage rights (UR3): Adobe Reader reports the update as a change and "
                + "disables its extended features"
        ]
    }
}

extension SignatureState {
    /// The invalid signatures, for people.
    var failures: [String] {
        failed.map { "the earlier signature \($0.field.inQuotes) is invalid: \($0.message)" }
    }
    /// The indeterminate signatures, for people.
    var doubts: [String] {
        doubtful.map {
            "the earlier signature \($0.field.inQuotes) is indeterminate: \($0.message)"
        }
    }
}

extension ScannedInput {
    /// The validation state of the document's signatures, computed together with the document's
    /// hash.
    func signatureState(of document: PDFDocument, _ form: AcroForm) throws -> SignatureState {
        let now = SystemClock.now()
        let isLarge = file.byteCount > ScannedInput.onePassByteCount
        guard isLarge, try form.hasSignature(in: document) else {
            return try SignatureState(of: document, form: form, at: now)
        }
        return try hashing(document) { reading in
            try SignatureState(of: document, form: form, at: now, reading: reading)
        }
    }
}
