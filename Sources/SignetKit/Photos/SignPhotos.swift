import SystemBridge

/// Makes a PDF of photos and signs it, in one output: it appears signed or not at all.
public struct SignPhotos: Sendable {
    private let conversion: ConvertPhotos
    private let signing: SignDocument

    /// - Parameters:
    ///   - conversion: How the photos become pages.
    ///   - signing: How those are signed.
    public init(_ conversion: ConvertPhotos, signing: SignDocument) {
        self.conversion = conversion
        self.signing = signing
    }

    /// Makes every check that `run` makes and leaves nothing.
    public func check(
        _ photos: [InputSource], progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws -> SignedDocument {
        // Standard output's content waits in a file without a name, which is dropped here.
        let (output, pages) = try convert(photos, Destination(path: "-"), progress)
        return result(try signing.check(output), photos, pages)
    }

    /// Converts and signs `photos` into `destination`. After a failure no output is left.
    ///
    /// - Parameter progress: Called after each photo with how many are done and how many there are.
    /// - Throws: ``SignetError``, which names the photo when it is to blame.
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
        // Before the photos are worked on: that may take a while.
        try signing.checkCredential()
        let output = try conversion.output(for: photos, destination)
        return (output, try conversion.write(photos, into: output, progress: progress).pages)
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
