import CryptoBridge
import FileBridge
import PAdES
import PDFCore
import TimestampClient
import TimestampKit

/// Proves that PDF files existed: a document timestamp in an incremental update
/// (ISO 32000-2 §12.8.5, ETSI EN 319 142-1 §5.4.3). Earlier signatures stay valid.
public struct TimestampDocument: Sendable {
    private let timestamps: TimestampAuthorities
    private let digest: DigestAlgorithm
    private let password: DocumentPassword?

    /// - Parameters:
    ///   - digest: nil is SHA-256, which every authority knows.
    ///   - password: for encrypted documents.
    public init(
        _ timestamps: TimestampAuthorities, digest: SigningOptions.Digest? = nil,
        password: DocumentPassword? = nil
    ) {
        self.timestamps = timestamps
        self.digest = digest?.algorithm ?? .sha256
        self.password = password
    }

    /// Stamps `input` into `destination`. After a failure no output is left.
    public func run(_ input: String, into destination: Destination) throws -> StampedFile {
        try reading(input) {
            let file = ScannedInput(
                try InputFile(path: input, isReplaced: destination.isInPlace))
            var (stamped, notes) = try timestamps.withRoom { room in
                try file.settled {
                    try stamp(file, into: destination, tokenByteCount: room)
                }
            }
            stamped.warnings += notes
            return stamped
        }
    }

    private func stamp(
        _ input: ScannedInput, into destination: Destination, tokenByteCount: Int
    ) throws -> StampedFile {
        let file = input.file
        let (appended, seal, field, warnings) = try PDFDocument.update(
            file, password: password, laidOut: { $0.0.prepared }
        ) { document in
            let form = try AcroForm(of: document)
            try SigningPermission.check(document, form: form, isTimestamp: true)
            let target = SignatureTarget.timestamp(in: form)
            try SigningPermission.checkAccess(to: target, of: document)
            let seal = try IntegritySeal.of(document)
            let reservedByteCount = tokenByteCount + (seal == nil ? 0 : IntegritySeal.byteCount)
            let prepared = try PreparedSignature(
                document: document, form: form, target: target, looks: [],
                kind: .documentTimestamp, reservedByteCount: reservedByteCount,
                isSealed: seal != nil,
                update: IncrementalUpdate(
                    document: document, avoiding: try input.numbers(in: document)),
                fileIdentifier: AppendedSignature.fileIdentifier())
            let appended = AppendedSignature(
                input: input, prepared: prepared, digest: digest,
                reservedByteCount: reservedByteCount)
            return (appended, seal, target.name, document.warnings.map(\.description))
        }
        var stamp: ObtainedTimestamp?
        let output = try appended.write(into: destination, source: file.path) { hash in
            let obtained = try timestamps.stamp(hash: hash, digest: digest)
            stamp = obtained
            return try seal?.sealed(obtained.token, digest: digest, dataDigest: hash)
                ?? obtained.token.encoded
        }
        guard let stamp else { throw SignetError(.internalFailure, "there is no time stamp") }
        try writing(destination.path) { try output.commit() }
        return StampedFile(
            file: file.path, output: destination.path, field: field, digest: digest, stamp: stamp,
            warnings: warnings)
    }
}
