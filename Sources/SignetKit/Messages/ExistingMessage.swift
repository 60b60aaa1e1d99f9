internal import Base
import CMSKit
import CryptoBridge
import SystemBridge

/// A CMS message to which a signer is added (RFC 5652 §5.1).
struct ExistingMessage {
    private let file: MessageFile
    private let path: String
    /// The file with the content; nil for attached content.
    private let detached: InputFile?

    let input: InputFile

    /// - Parameters:
    ///   - isReplaced: whether the output replaces the message.
    ///   - content: the content of a detached signature; nil uses the file next to the message.
    init(_ source: InputSource, isReplaced: Bool, content: InputSource?) throws {
        let name = source.name
        path = name
        (input, file) = try reading(name) {
            let input = try source.open(isReplaced: isReplaced)
            return (input, try MessageFile(input))
        }
        try file.message.requireExtensible(name)
        guard file.message.contentType != .tstInfo else {
            throw SignetError(
                .malformedInput, file: name, "timestamp tokens have exactly one signer")
        }
        guard file.message.content == nil else {
            detached = nil
            return
        }
        let content = try CompanionFile.content(content, of: source)
        detached = try reading(content.name) { try content.open() }
    }

    var isAttached: Bool { detached == nil }
    var contentType: OID { file.message.contentType }

    /// Hashes of the content, which all signers must have signed.
    func digests(_ algorithms: Set<DigestAlgorithm>) throws -> [DigestAlgorithm: [UInt8]] {
        let message = file.message
        let all = algorithms.union(message.requiredDigests)
        let digests =
            if let content = message.content {
                try all.reduce(into: [:]) { $0[$1] = try $1.hash(content) }
            } else {
                try detached.map { file in
                    try reading(file.path) { try HashOptions.digests(all, of: file) }
                } ?? [:]
            }
        let checks = try SignedDataVerifier(profile: isAttached ? .attached : .detached)
            .verify(message, contentDigests: digests)
        for (index, check) in checks.enumerated() where !message.signers.isEmpty {
            guard let problem = check.problems.first(where: { $0.verdict == .failed }) else {
                continue
            }
            throw SignetError(
                .invalidSignature, file: path,
                "the signature of signer \(index + 1) failed: \(problem.message)",
                hint: Sentence(.seeFailedMessage, path))
        }
        return digests
    }

    /// The message with the signers of `other`, as PEM if it was PEM.
    func adding(_ other: [UInt8], asPEM: Bool) throws -> [UInt8] {
        var update = try SignedDataUpdate(file.encoded)
        try update.addSigners(of: SignedDataUpdate(other))
        let encoded = update.encoded
        // Also checks the size limit.
        _ = try MessageFile.parse(encoded, path)
        return asPEM || file.isPEM ? PEMWriter.write(file.label ?? "CMS", encoded) : encoded
    }
}
