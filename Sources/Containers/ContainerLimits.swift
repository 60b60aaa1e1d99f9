/// Limits for containers from any source.
package enum ContainerLimits {
    package static let entryCount = 4096
    /// Maximum length of the name of an entry, in bytes.
    package static let nameByteCount = 1024
    /// Compressed entries up to this size in bytes may have any ratio.
    package static let freeByteCount = 1 << 20
    /// Maximum ratio of the size of a larger entry to its compressed size.
    package static let expansion = 100
    package static let manifestByteCount = 4 << 20
    /// Maximum number of references in all manifests.
    package static let referenceCount = 65_536
    /// Maximum number of prefixes in a `PrefixList`: each is looked up for each element.
    static let prefixCount = 64
    package static let signatureFileByteCount = 16 << 20
    /// Maximum size of a CMS signature, timestamp or evidence record, in bytes.
    package static let messageByteCount = 16 << 20
    /// Maximum size of an evidence record in XML, in bytes.
    package static let recordByteCount = 16 << 20
    /// Maximum number of signature files, and of signatures in one of them.
    package static let signatureCount = 256
    /// Maximum number of timestamps in all signatures. Each has its own certificate chain.
    package static let timestampCount = 512
    /// Maximum number of bytes that are hashed, each time counted, in a container of any size.
    package static let hashedByteAllowance = 1 << 30
    /// Additional bytes hashed, as a multiple of the container's size.
    package static let hashedMultiple = 16
    /// Maximum size of the XML files that the signatures of a container transform, in bytes.
    package static let transformedByteCount = 16 << 20
}
