import PDFSigning
import SystemBridge

/// Converts photos to a PDF and signs it, in one output that is never left unsigned.
public struct SignPhotos: Sendable {
    private let conversion: ConvertPhotos
    private let signing: SignDocument

    /// - Parameters:
    ///   - conversion: options for the pages.
    ///   - signing: options for the signature.
    public init(_ conversion: ConvertPhotos, signing: SignDocument) {
        self.conversion = conversion
        self.signing = signing
    }

    /// Performs all checks of `run` and leaves no file.
    public func check(
        _ photos: [InputSource], progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws -> SignedDocument {
        // An output to standard output is first written to an unnamed file, which is discarded
        // here.
        let (output, pages) = try convert(photos, Destination(path: "-"), progress)
        return result(try signing.check(output), photos, pages)
    }

    /// Converts and signs `photos` into `destination`. After a failure, no output file remains.
    ///
    /// - Parameter progress: called after each photo with the number of finished photos and the
    ///   total.
    /// - Throws: ``SignetError``, with the photo's name if it is the cause.
    public func run(
        _ photos: [InputSource], into destination: Destination,
        progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws -> SignedDocument {
        let (output, pages) = try convert(photos, destination, progress)
        return result(try signing.finish(output), photos, pages)
    }

    private func convert(
        _ photos: [InputSource], _ destination: Destination, _ progress: (Int, Int) -> Void
    ) throws -> (AtomicOutput, [ConvertedPhotos.Page]) {
        // The credential is checked before the photos are converted, which may take long.
        try signing.checkCredential()
        let output = try conversion.output(for: photos, destination)
        let converted = try conversion.write(photos, into: output, progress: progress)
        let smaller = try conversion.leavingRoom(
            after: converted.byteCount, for: signing.addedByteCount(output))
        guard let smaller else { return (output, converted.pages) }
        output.discard()
        let second = try smaller.output(for: photos, destination)
        return (second, try smaller.write(photos, into: second, progress: progress).pages)
    }

    private func result(
        _ signed: SignedDocument, _ photos: [InputSource], _ pages: [ConvertedPhotos.Page]
    ) -> SignedDocument {
        var result = signed
        result.file = photos.first?.name ?? signed.file
        result.pages = pages
        return result
    }
}

extension SignDocument {
    /// Number of bytes that the signature adds to the document in an unfinished output, without
    /// validation data.
    fileprivate func addedByteCount(_ output: AtomicOutput) throws -> Int {
        try reading(output.path) {
            let input = ScannedInput(try InputFile(output))
            let room = TimestampReservation(for: timestamps)
            return try makeUpdate(
                by: plan(for: input), of: input, tokenByteCount: room.byteCount
            ).0.bytes.count
        }
    }
}
