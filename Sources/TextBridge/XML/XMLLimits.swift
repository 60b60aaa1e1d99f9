/// Limits for XML from any source.
package enum XMLLimits {
    /// Maximum size of a document, in bytes.
    package static let byteCount = 64 << 20
    /// Maximum nesting depth of elements.
    package static let depth = 128
    package static let elementCount = 200_000
    /// Maximum number of attributes of an element, without namespace declarations.
    package static let attributeCount = 256

    // MARK: Canonicalization
    package static let canonicalDepth = 100
    /// Maximum number of attributes of an element, with namespace declarations.
    package static let canonicalAttributeCount = 64
    package static let canonicalAttributeByteCount = 256 << 10
    package static let partCount = 8
    /// Maximum number of namespace declarations in a tree.
    package static let declarationCount = 4096
    package static let treeElementCount = 50_000
}
