import ByteKit
import CMSKit
import CryptoBridge
import FileBridge
import PAdES
import PDFCore
import TimestampClient
import TimestampKit

/// The value of a signature is longer than the room reserved for it.
struct ReservationExceeded: Error {
    /// Both numbers.
    let detail: String
}

/// A signature or document timestamp laid out in an incremental update; its value is still to be
/// made.
struct AppendedSignature {
    let input: ScannedInput
    let prepared: PreparedSignature
    /// Hashes what the value covers.
    let digest: DigestAlgorithm
    let reservedByteCount: Int

    var file: InputFile { input.file }

    /// Copies and hashes the original in one pass, and appends the update.
    ///
    /// - Parameters:
    ///   - source: who is at fault when hashing fails.
    ///   - makeValue: makes the value of the hash.
    /// - Returns: the output, to be committed.
    /// - Throws: ``ReservationExceeded`` and ``NumbersReferenced`` among others; then nothing is
    ///   left.
    func write(
        into destination: Destination, source: String, _ makeValue: ([UInt8]) throws -> [UInt8]
    ) throws -> AtomicOutput {
        let copy =
            try input.copy
            ?? {
                try destination.makeFolder()
                let output = try writing(destination.path) {
                    try AtomicOutput(
                        path: destination.path, mode: destination.isInPlace ? .like(file) : .normal,
                        replace: destination.replacesExisting)
                }
                return try take(output, source: source) { scan, hash in
                    try output.copy(from: file, range: 0..<file.byteCount, tee: hash) {
                        scan.look(at: $0)
                    }
                }
            }()
        try append(to: copy, source: source, makeValue)
        return copy.output
    }

    /// Hashes the original, which an output holds already, and appends the update to it.
    ///
    /// - Throws: as above.
    func append(
        to output: AtomicOutput, source: String, _ makeValue: ([UInt8]) throws -> [UInt8]
    ) throws {
        let copy =
            try input.copy
            ?? take(output, source: source) { scan, hash in
                try file.stream(range: 0..<file.byteCount) { part in
                    try hash(part)
                    scan.look(at: part)
                }
            }
        try append(to: copy, source: source, makeValue)
    }

    /// - Parameter pass: Hands all bytes of the original over, to be looked at and to be hashed.
    private func take(
        _ output: AtomicOutput, source: String,
        _ pass: (FileScan, (Span<UInt8>) throws -> Void) throws -> Void
    ) throws -> ScannedInput.Copy {
        let context = try reading(source) { try DigestContext(digest) }
        let scan = input.newScan()
        do {
            try pass(scan) { try context.update($0) }
        } catch let error as FileError {
            throw SignetError(error)
        }
        input.settle(scan)
        let copy = ScannedInput.Copy(output: output, hash: context)
        input.copy = copy
        return copy
    }

    private func append(
        to copy: ScannedInput.Copy, source: String, _ makeValue: ([UInt8]) throws -> [UInt8]
    ) throws {
        try requireFreeNumbers()
        var prepared = prepared
        let hash = try reading(source) {
            let context = try copy.hash.copy()
            try context.update(prepared.headBytes)
            try context.update(prepared.tailBytes)
            return try context.finish()
        }
        let value = try makeValue(hash)
        guard value.count <= reservedByteCount else {
            throw ReservationExceeded(
                detail: "\(value.count) bytes, \(reservedByteCount) reserved")
        }
        try reading(source) { try prepared.embed(value) }
        try writing(copy.output.path) { try copy.output.write(prepared.bytes) }
        input.copy = nil
    }

    /// - Throws: ``NumbersReferenced``.
    func requireFreeNumbers() throws { try input.requireNone(of: prepared.newNumbers) }

    /// 16 bytes that no other file has, for the trailer's /ID. They are no secret: the system's
    /// generator serves, and OpenSSL's need not be started for them.
    static func fileIdentifier() -> [UInt8] {
        (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    }
}

extension PDFDocument {
    /// Opens the document of `file` to append to it. A damaged one is opened once more with all its
    /// objects searched for, when the damage shows only in `body`.
    ///
    /// So is one whose sections lead readers apart, as when objects are only near the places that
    /// they name: one complete section leads all readers to the same. And where some objects do not
    /// follow the syntax, all such are written anew. Not where others have signed, whose signatures
    /// that would hide or touch: there only the catalogue.
    ///
    /// What was laid out is read again as `verify` will read it, where anything was repaired.
    ///
    /// - Parameter prepared: what `body` laid out.
    static func update<Result>(
        _ file: InputFile, password: DocumentPassword?,
        laidOut prepared: (Result) -> PreparedSignature,
        _ body: (PDFDocument) throws -> Result
    ) throws -> Result {
        guard file.byteCount > 0 else {
            throw SignetError(.malformedInput, file: file.path, "the file is empty")
        }
        func attempt(_ repair: PDFOptions.Repair) throws -> Result {
            let document = try PDFDocument.open(
                file, path: file.path, password: password, options: PDFOptions(repair: repair))
            if document.isRebuilt { try document.requireAgreement() }
            if document.isRebuilt {
                let listed =
                    repair == .whenNeeded
                    ? document
                    : try? PDFDocument.open(
                        file, path: file.path, password: password, options: PDFOptions())
                try listed?.requireListedObjects()
            }
            func checked(_ result: Result) throws -> Result {
                if !document.isRebuilt, !document.warnings.isEmpty {
                    try document.requireListedObjects()
                }
                try prepared(result).requireReadable(after: document)
                return result
            }
            var result = try body(document)
            guard repair == .whenNeeded || document.hasDamagedObjects else {
                return try checked(result)
            }
            let leadsApart = try repair == .whenNeeded && document.leadsReadersApart()
            let disagreement = try repair == .whenNeeded ? document.readersDisagreement() : nil
            guard leadsApart || disagreement != nil || document.hasDamagedObjects else {
                return try checked(result)
            }
            let isSigned = try AcroForm(of: document).hasSignature(in: document)
            if disagreement != nil, isSigned { try document.requireAgreement() }
            if leadsApart || disagreement != nil, !isSigned {
                do {
                    if let lost = try document.objectLostInSearch() {
                        throw PDFError(
                            .readersDisagree,
                            "the file is damaged, and readers that search it for its objects do "
                                + "not all find object \(lost)")
                    }
                    return try attempt(.always)
                } catch let error as PDFError where error.code.isDamage {
                    guard try !document.makesReadersSearch() else {
                        throw PDFError(
                            .readersDisagree,
                            "the file is damaged, and readers that repair it may not show what "
                                + "would be signed: \(error)")
                    }
                    document.warnOfDisagreement(error.description)
                } catch let error as PDFError where error.code == .readersDisagree {
                    guard try !document.makesReadersSearch() else { throw error }
                    document.warnOfDisagreement(error.detail)
                }
                result = try body(document)
            }
            guard document.hasDamagedObjects else { return try checked(result) }
            if let id = try ShownObjects.damaged(in: document) {
                throw PDFError(
                    .readersDisagree,
                    "it is shown and damaged, and readers do not agree what it says", object: id)
            }
            try isSigned ? document.mendCatalog() : document.mendObjects()
            return try checked((try? body(document)) ?? result)
        }
        do {
            return try attempt(.whenNeeded)
        } catch let error as PDFError where error.code.isDamage {
            do {
                return try attempt(.always)
            } catch let second as PDFError {
                throw second.code == .readersDisagree ? second : error
            }
        }
    }

    /// - Throws: `readersDisagree` when those that search the document find other objects than those
    ///   that need not.
    private func requireListedObjects() throws(PDFError) {
        guard let reason = try objectReplacedInSearch() else { return }
        throw PDFError(
            .readersDisagree,
            "the file is damaged, and readers do not agree what it shows: \(reason)")
    }

    /// - Throws: `readersDisagree` when those that repair the document do not show what would be
    ///   signed.
    private func requireAgreement() throws(PDFError) {
        guard let reason = try readersDisagreement() else { return }
        throw PDFError(
            .readersDisagree,
            "the file is damaged, and readers do not agree what it shows: \(reason)")
    }
}

extension SignedDataBuilder {
    /// The finished message, and the timestamp over its signature where there is to be one.
    ///
    /// - Parameters:
    ///   - source: where the key came from, for messages.
    ///   - seal: makes the document's integrity code, where it has one.
    func sign(
        messageDigest: [UInt8], timestamps: TimestampAuthorities?, source: String,
        seal: IntegritySeal? = nil
    ) throws -> (message: [UInt8], stamp: ObtainedTimestamp?) {
        guard timestamps != nil || seal != nil else {
            return (try reading(source) { try sign(messageDigest: messageDigest) }, nil)
        }
        let prepared = try reading(source) { try prepare(messageDigest: messageDigest) }
        let signature = try reading(source) { try self.signature(for: prepared) }
        let stamp = try timestamps?.stamp(signature: signature)
        return (
            try prepared.finish(
                signature: signature, timestamp: stamp, seal: seal, messageDigest: messageDigest),
            stamp
        )
    }
}

extension PreparedSignedData {
    /// The finished message with a timestamp over the signature (ETSI EN 319 122-1 §5.3) and the
    /// integrity code of the document; each where there is to be one.
    ///
    /// - Parameter messageDigest: what the signature covers, hashed.
    func finish(
        signature: [UInt8], timestamp: ObtainedTimestamp?, seal: IntegritySeal?,
        messageDigest: [UInt8]
    ) throws -> [UInt8] {
        var attributes: [CMSAttribute] = []
        if let timestamp {
            attributes.append(
                CMSAttribute(oid: CMSOID.signatureTimeStamp, values: [timestamp.token.encoded]))
        }
        if let seal {
            attributes.append(
                try seal.attribute(
                    digest: digest, dataDigest: messageDigest, signature: signature))
        }
        return try finish(signature: signature, unsignedAttributes: attributes)
    }
}
