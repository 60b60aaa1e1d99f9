import CryptoBridge
import SystemBridge

/// Timestamps PDF files: a document timestamp in an incremental update (ISO 32000-2 §12.8.5, ETSI
/// EN 319 142-1 §5.4.3). Earlier signatures stay valid.
public struct TimestampDocument: Sendable {
    private let timestamps: TimestampAuthorities
    private let digest: DigestAlgorithm
    private let password: DocumentPassword?
    /// Whether damaged documents are accepted, even if viewers may display them differently.
    public var allowsDamaged = false

    /// - Parameters:
    ///   - digest: nil uses SHA-256, which every TSA supports.
    ///   - password: for encrypted documents.
    public init(
        _ timestamps: TimestampAuthorities, digest: SigningOptions.Digest? = nil,
        password: DocumentPassword? = nil
    ) {
        self.timestamps = timestamps
        self.digest = digest?.algorithm ?? .usual
        self.password = password
    }

    /// Timestamps `input` and writes the result to `destination`. After a failure, no output file
    /// remains.
    ///
    /// - Throws: ``SignetError``.
    public func run(_ input: InputSource, into destination: Destination) throws -> StampedFile {
        try reading(input.name) {
            let file = try input.open(isReplaced: destination.isInPlace)
            var update = DocumentTimestamp(
                input: ScannedInput(file), password: password, digest: digest,
                timestamps: timestamps)
            update.looksForDoubts = true
            update.allowsDamaged = allowsDamaged
            let made = try update.run(into: destination)
            try writing(destination.path) { try made.output.commit() }
            var stamped = StampedFile(
                file: file.path, output: destination.path, field: made.layout.field,
                digest: digest, stamp: made.stamp,
                warnings: made.layout.warnings.map { Sentence($0) })
            stamped.warnings += made.notes.map { Sentence($0) }
            return stamped
        }
    }
}
