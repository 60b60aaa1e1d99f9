package import Base
package import CryptoBridge
import TrustKit

/// Compares files with the hashes of manifests and signatures, and computes each hash once.
package final class CoveredFiles {
    private let container: SignatureContainer
    private var transformedByteCount = 0
    private var hashedByteCount = 0
    private var hashes: [Key: [UInt8]] = [:]

    private struct Key: Hashable {
        let name: ExactText
        let digest: DigestAlgorithm
    }

    package struct Finding: Sendable {
        /// Names of the entries that match.
        package var covered: [String] = []
        package var problems: [VerificationProblem] = []
        /// Whether it refers to a file at all.
        package var refersToFiles = false

        package init() {}
    }

    package init(_ container: SignatureContainer) { self.container = container }

    /// - Throws: an error of reading, or ``ContainerError`` for a damaged entry.
    package func hash(of entry: ZIPEntry, _ digest: DigestAlgorithm) throws -> [UInt8] {
        let key = Key(name: ExactText(entry.name), digest: digest)
        if let known = hashes[key] { return known }
        hashedByteCount += entry.byteCount
        let limit =
            ContainerLimits.hashedByteAllowance
            + ContainerLimits.hashedMultiple * container.archive.byteCount
        guard hashedByteCount <= limit else {
            throw ContainerError(
                .limitExceeded,
                "the files to hash exceed the limit of \(limit >> 20) MiB, for example "
                    + entry.name.inQuotes)
        }
        let hash = try container.hash(entry, digest)
        hashes[key] = hash
        return hash
    }

    /// An XML file of which a signature covers the canonical form.
    ///
    /// - Throws: ``ContainerError``: `limitExceeded` if too much is to be transformed.
    func contentToTransform(_ entry: ZIPEntry) throws -> [UInt8] {
        transformedByteCount += entry.byteCount
        guard transformedByteCount <= ContainerLimits.transformedByteCount else {
            throw ContainerError(
                .limitExceeded,
                "the XML files to transform exceed the limit of "
                    + "\(ContainerLimits.transformedByteCount >> 20) MiB, for example "
                    + entry.name.inQuotes)
        }
        return try container.archive.bytes(of: entry, limit: ContainerLimits.transformedByteCount)
    }

    func stream(_ entry: ZIPEntry, _ body: (Span<UInt8>) throws -> Void) throws {
        try container.archive.stream(entry, body)
    }

    /// Compares the files of a manifest (ETSI EN 319 162-1 §A.4).
    ///
    /// - Parameter time: when the manifest is known to have existed, or now.
    package func check(_ manifest: ContainerManifest, at time: CalendarTime) throws -> Finding {
        var finding = Finding()
        finding.refersToFiles = !manifest.references.isEmpty
        for reference in manifest.references {
            try check(reference, at: time, &finding)
        }
        return finding
    }

    private func check(
        _ reference: ContainerManifest.Reference, at time: CalendarTime, _ finding: inout Finding
    ) throws {
        guard let entry = container.archive.entry(reference.file, &finding) else { return }
        guard let digest = reference.digest else {
            finding.problems.append(
                .doubt(
                    .algorithmUnsupported,
                    "the digest algorithm of \(entry.name.inQuotes) is unknown",
                    .cryptoConstraintsFailureNoPOE))
            return
        }
        if AlgorithmPolicy.expiry(of: digest).map({ $0 <= time }) == true {
            finding.problems.append(
                .doubt(
                    .weakAlgorithm,
                    "\(digest.displayName), used for \(entry.name.inQuotes), is no longer secure",
                    .cryptoConstraintsFailureNoPOE))
        }
        try compare(entry, digest, reference.value, &finding)
        compareType(reference.mimeType, of: entry, &finding)
    }

    package func compare(
        _ entry: ZIPEntry, _ digest: DigestAlgorithm, _ value: [UInt8], _ finding: inout Finding
    ) throws {
        if try hash(of: entry, digest) == value {
            finding.covered.append(entry.name)
        } else {
            finding.problems.append(
                .failure(
                    .digestMismatch,
                    "the file \(entry.name.inQuotes) was modified after signing (digest mismatch)",
                    .hashFailure))
        }
    }

    /// Compares the media type of a file with that in `META-INF/manifest.xml`.
    package func compareType(_ type: String?, of entry: ZIPEntry, _ finding: inout Finding) {
        guard let type, let listed = container.packageManifest?.mimeType(of: entry.name),
            type != listed
        else { return }
        finding.problems.append(
            .remark(
                .manifestMismatch,
                "the signature and META-INF/manifest.xml state different media types of "
                    + entry.name.inQuotes))
    }
}

extension ZIPArchive {
    /// The referenced entry, or a problem.
    package func entry(
        _ reference: FileReference, _ finding: inout CoveredFiles.Finding
    ) -> ZIPEntry? {
        if let entry = reference.entry(in: self) {
            if !reference.isEncoded(entry) {
                finding.problems.append(
                    .remark(
                        .manifestMismatch,
                        "the reference to \(entry.name.inQuotes) is not encoded as a URI, so other "
                            + "programs may find another file"))
            }
            return entry
        }
        finding.problems.append(
            .doubt(
                .fileMissing, "the signed file \(reference.shown.inQuotes) is missing",
                .signedDataNotFound))
        return nil
    }
}
