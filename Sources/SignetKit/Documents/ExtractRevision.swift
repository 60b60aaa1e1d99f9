import Base
import SystemBridge

/// Writes the revision of a PDF that a signature covers, byte for byte.
public struct ExtractRevision: Sendable {
    public init() {}

    /// Writes the bytes of the file up to the end of the signed byte range.
    ///
    /// - Parameters:
    ///   - source: the document.
    ///   - number: number of the signature in the report, from 1.
    ///   - report: verification result of `source`.
    /// - Throws: ``SignetError``: `usage` for a nonexistent number, `malformedInput` for a
    ///   signature without a usable byte range.
    public func run(
        _ source: InputSource, signature number: Int, of report: VerifiedDocument,
        into destination: Destination
    ) throws {
        let input = source.name
        let count = report.signatures.count
        guard report.signatures.indices.contains(number - 1) else {
            let (found, hint): (String, Sentence?) =
                switch count {
                case 0: ("no signature", nil)
                case 1: ("only one signature", Sentence(.useFirstSignature))
                default: ("only \(count) signatures", Sentence(.numberSignature, "\(count)"))
                }
            throw SignetError(.usage, file: input, "the document contains \(found)", hint: hint)
        }
        let signature = report.signatures[number - 1]
        guard let byteCount = signature.record.coveredByteCount else {
            throw SignetError(
                .malformedInput, file: input,
                "the signature '\(signature.field)' has no valid byte range")
        }
        let file = try reading(input) { try source.open() }
        let output = try destination.output(from: file)
        try writing(destination.path) {
            try file.stream(range: 0..<min(byteCount, file.byteCount)) { try output.write($0) }
            // The written bytes must be the verified ones.
            try file.requireUnchanged()
            try output.commit()
        }
    }
}
