import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import SystemBridge

/// What the one who signs should know of the document, besides what is refused.
extension SignDocument {
    /// Looks at the signatures that are there: who adds one seems to agree with what is shown. The
    /// document's integrity codes were looked at before: nobody can agree to a wrong one.
    ///
    /// - Returns: What is to be told of them.
    /// - Throws: `earlierSignatureFails`, unless that was agreed to.
    func requireGoodSignatures(
        of document: PDFDocument, _ form: AcroForm, _ input: ScannedInput
    ) throws -> [String] {
        let state = try input.signatureState(of: document, form)
        if let first = state.failures.first, !options.allowsFailed {
            throw PAdESError(.earlierSignatureFails, first)
        }
        return state.failures + state.doubts
    }

    /// A new field beside the one that was meant takes the signature, and nothing undoes it. Names
    /// that differ in a number are told apart on purpose.
    func refuseMistypedName(of target: SignatureTarget, in form: AcroForm) throws {
        guard case .named(let name) = options.field, case .new = target else { return }
        let letters = { (name: String) in name.filter { !$0.isNumber } }
        let waiting = form.signatureFields.filter { $0.value == nil }.map(\.fullName.text)
            .filter { letters($0) != letters(name) }
        guard let near = Spelling.nearest(to: name, in: waiting) else { return }
        throw SignetError(
            .usage, "there is no field \(name.inQuotes)",
            hint: Sentence(.meantField, near.inQuotes))
    }

    private static let rareAlgorithms: [KeyAlgorithm] = [.ed25519, .ed448]

    /// What may not be what was meant.
    func advice(
        on form: AcroForm, _ target: SignatureTarget, _ marks: SignedDocument.Marks?
    ) -> [Sentence] {
        var advice: [Sentence] = []
        if case .named(let name) = options.field, case .new = target {
            let empty = form.signatureFields.filter { $0.value == nil }.map(\.fullName.inQuotes)
            let others =
                empty.isEmpty
                ? ""
                : ", and \(empty.joined(separator: ", ")) \(empty.count == 1 ? "is" : "are") still "
                    + "empty"
            advice.append("there is no field \(name.inQuotes) yet: a new one is signed\(others)")
        }
        if Self.rareAlgorithms.contains(credential.key.publicKey.algorithm) {
            advice.append(
                Sentence(
                    "many PDF viewers cannot check \(credential.key.publicKey.algorithm) signatures "
                        + "yet; all can check RSA and ECDSA"))
        }
        if let byteCount = picture?.heavyByteCount {
            advice.append(
                Sentence(
                    "the picture adds \(byteCount / 1_000_000) MB to every document: a smaller one "
                        + "looks the same in a stamp"))
        }
        if marks?.pages.isEmpty == true {
            advice.append(Sentence(.markedNothing))
        }
        return advice
    }
}

extension SignatureState {
    /// Those that do not hold, for people.
    var failures: [String] {
        failed.map { "the earlier signature \($0.field.inQuotes) does not hold: \($0.message)" }
    }
    /// Those that are in doubt, for people.
    var doubts: [String] {
        doubtful.map { "the earlier signature \($0.field.inQuotes) is in doubt: \($0.message)" }
    }
}

extension ScannedInput {
    /// How the signatures of the document stand, which is read once for that and for its hash.
    func signatureState(
        of document: PDFDocument, _ form: AcroForm
    ) throws -> SignatureState {
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
