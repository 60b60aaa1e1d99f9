import Base
import Containers
import CryptoBridge
import SystemBridge
import TimestampKit

/// Timestamps files in a container (ETSI EN 319 162-1 §4.3.3.2, §4.4.4.2): one file in ASiC-S, or any
/// number in ASiC-E. An existing ASiC-E container gets another timestamp; its entries remain.
public struct TimestampContainer: Sendable {
    private let timestamps: TimestampAuthorities
    private let digest: DigestAlgorithm

    /// - Parameter digest: nil uses SHA-256, which every TSA supports.
    public init(_ timestamps: TimestampAuthorities, digest: SigningOptions.Digest? = nil) {
        self.timestamps = timestamps
        self.digest = digest?.algorithm ?? .usual
    }

    /// Timestamps files, and writes a container.
    ///
    /// - Parameter destination: a file whose name ends in `.asics` or `.scs` for one file, otherwise
    ///   in `.asice` or `.sce`.
    /// - Throws: ``SignetError``. After a failure, no output file remains.
    public func run(_ sources: [InputSource], into destination: Destination) throws -> StampedFile {
        let layout = try ContainerLayout(sources, destination)
        let output = try layout.output(destination)
        return try reading(layout.firstName) {
            var writer = ZIPWriter { part in
                try writing(destination.path) { try output.write(part) }
            }
            let manifest = try layout.addFiles(to: &writer, digest)
            let stamp: ObtainedTimestamp
            switch layout.kind {
            case .simple:
                let hash = try HashOptions.digest(digest, of: layout.files[0].file)
                stamp = try timestamps.stamp(hash: hash, digest: digest)
                try writer.add("META-INF/timestamp.tst", stamp.token.encoded)
            case .extended:
                let names = layout.signatureNames
                let content = manifest.document(
                    target: names.timestamp, type: ManifestBuilder.timestamp)
                stamp = try timestamps.stamp(hash: try digest.hash(content), digest: digest)
                try writer.add(names.manifest, content)
                try writer.add(names.timestamp, stamp.token.encoded)
            }
            try writer.finish(comment: layout.existing?.archive.comment ?? [])
            try ContainerFile.requireReadable(output, destination.path)
            try layout.requireUnchanged()
            try writing(destination.path) { try output.commit() }
            return StampedFile(
                file: layout.firstName, output: destination.path, digest: digest, stamp: stamp)
        }
    }
}
