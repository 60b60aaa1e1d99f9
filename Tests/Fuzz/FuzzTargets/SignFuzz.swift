import Base
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import TrustKit

/// Signs a document except for the key: opens it, reads the form, checks the permissions, prepares
/// an empty signature, and verifies the result.
///
/// The field, its value and the gap of its byte range must be found again.
enum SignFuzz {
    private static let reservedByteCount = 64
    /// Signing rejects the document.
    private struct Refused: Error {}

    private static let time = CalendarTime(secondsSinceEpoch: 1_700_000_000)

    /// - Parameter way: selects the repair mode and the field by its remainder; nil tries all.
    static func failure(of bytes: [UInt8], way: Int? = nil) -> String? {
        let ways: [(PDFOptions.Repair, FieldChoice)] = [
            (.whenNeeded, .automatic), (.always, .automatic), (.whenNeeded, .new(nil)),
            (.always, .new(nil)),
        ]
        for (repair, choice) in way.map({ [ways[$0 % ways.count]] }) ?? ways {
            guard let (prepared, name) = try? signature(bytes, repair, choice) else { continue }
            if let failure = failure(of: prepared, named: name, after: bytes) { return failure }
        }
        return nil
    }

    /// Opens a document, also an encrypted one, with a password that ``ToyCryptography`` accepts.
    private static func open(
        _ bytes: [UInt8], _ repair: PDFOptions.Repair
    ) throws(PDFError) -> PDFDocument {
        try PDFDocument(
            source: MemorySource(bytes),
            options: PDFOptions(
                repair: repair,
                decryption: PDFDecryption(cryptography: ToyCryptography()) { _ in [1, 2, 3] }))
    }

    private static func signature(
        _ bytes: [UInt8], _ repair: PDFOptions.Repair, _ choice: FieldChoice
    ) throws -> (PreparedSignature, name: String) {
        let document = try open(bytes, repair)
        _ = try document.hasAmbiguousXref()
        let disagreement = try document.readersDisagreement()
        guard disagreement == nil || !document.isRebuilt else { throw Refused() }
        let form = try AcroForm(of: document)
        if document.hasDamagedObjects {
            guard try ShownObjects.damaged(in: document) == nil else { throw Refused() }
            if try !form.hasSignature(in: document) { try document.mendObjects() }
        }
        try SigningPermission.check(document, form: form)
        let target = try SignatureTarget(choice, in: form, of: document)
        let prepared = try PreparedSignature(
            NewSignature(
                in: target, .signature(SignatureProperties(claimedTime: time)),
                reservedByteCount: reservedByteCount), document: document, form: form,
            update: IncrementalUpdate(
                document: document, avoiding: try numbersReferenced(in: document, bytes)),
            fileIdentifier: [UInt8](repeating: 7, count: 16))
        return (prepared, target.name)
    }

    /// The object numbers that signing must not use for new objects.
    private static func numbersReferenced(
        in document: PDFDocument, _ bytes: [UInt8]
    ) throws -> ObjectNumberSet {
        var scanner = ReferenceScanner()
        scanner.scan(bytes.span)
        var numbers = try document.numbersReferencedInObjectStreams()
        numbers.formUnion(scanner.numbers)
        return numbers
    }

    private static func failure(
        of prepared: PreparedSignature, named name: String, after bytes: [UInt8]
    ) -> String? {
        let signed = bytes + prepared.bytes
        do {
            let document = try open(signed, .whenNeeded)
            let form = try AcroForm(of: document)
            let values = try form.signatureFields.filter { $0.fullName.text == name }
                .map { try document.resolve($0.value ?? .null) }
            let numbers = [
                0, prepared.byteRange.first.count, prepared.byteRange.second.lowerBound,
                prepared.byteRange.second.count,
            ]
            let expected = PDFObject.array(numbers.map { .integer($0) })
            guard values.contains(where: { $0.dictionaryValue?["ByteRange"] == expected }) else {
                return "the field '\(name)' does not hold the signature"
            }
            guard prepared.byteRange.second.upperBound == signed.count,
                signed[prepared.byteRange.gap].first == 60,
                signed[prepared.byteRange.gap].last == 62
            else { return "the byte range is wrong" }
            let verifier = DocumentVerifier(
                validator: PathValidator(anchors: .certificates([]), now: time), time: time)
            _ = try? verifier.verify(document)
            return nil
        } catch {
            return "what was signed does not open: \(error)"
        }
    }
}
