import Base
import TextBridge
import TrustKit

/// The permitted transforms (XML Signature §4.4.3.4, §6.5): one canonicalization, and the enveloped
/// signature transform. XSLT, XPath and base64 are refused.
struct XMLTransforms {
    /// A canonicalization method and its parameter.
    struct Canonicalization: Sendable {
        let method: CanonicalXML.Method
        let inclusivePrefixes: [String]
        /// Whether comments belong to the form.
        let hasComments: Bool

        /// Canonical XML 1.0, where none is given (XML Signature §4.4.3.2).
        static let standard = Canonicalization(
            method: .inclusive, inclusivePrefixes: [], hasComments: false)
    }

    private(set) var isEnveloped = false
    private(set) var canonicalization: Canonicalization?

    /// - Throws: ``ContainerError``: `unsupported` for other transforms.
    init(of reference: XMLBranch) throws(ContainerError) {
        let lists = reference.all("Transforms", in: XMLAlgorithm.namespace)
        guard lists.count <= 1 else {
            throw ContainerError(.malformed, "a reference has several lists of transforms")
        }
        for transform in lists.first?.children ?? [] {
            guard transform.name == XMLName("Transform", namespace: XMLAlgorithm.namespace),
                canonicalization == nil
            else { throw ContainerError(.unsupported, "a reference has too many transforms") }
            if transform[attribute: "Algorithm"] == XMLAlgorithm.enveloped,
                transform.children.isEmpty, !isEnveloped
            {
                isEnveloped = true
            } else {
                canonicalization = try Canonicalization(transform)
            }
        }
    }
}

extension XMLTransforms.Canonicalization {
    private static let comments = "WithComments"

    /// - Parameter element: a `CanonicalizationMethod` or `Transform`; nil for the standard.
    init(_ element: XMLBranch?) throws(ContainerError) {
        guard let element else {
            self = .standard
            return
        }
        var identifier = element[attribute: "Algorithm"] ?? ""
        let suffixes = ["#" + Self.comments, Self.comments]
        let suffix = suffixes.first { identifier.hasSuffix($0) }
        identifier = String(identifier.dropLast(suffix?.count ?? 0))
        switch identifier {
        case XMLAlgorithm.inclusive, XMLAlgorithm.inclusive11: method = .inclusive
        case XMLAlgorithm.exclusive: method = .exclusive
        default:
            throw ContainerError(
                .unsupported, "the transform \(identifier.inQuotes) is not supported")
        }
        hasComments = suffix != nil
        let parameters = element.children
        let list = element.only("InclusiveNamespaces", in: XMLAlgorithm.exclusive)
        guard parameters.isEmpty || parameters.count == 1 && list != nil && method == .exclusive
        else { throw ContainerError(.unsupported, "a canonicalization has unknown parameters") }
        inclusivePrefixes = (list?[attribute: "PrefixList"] ?? "")
            .split(whereSeparator: \.isWhitespace).map { $0 == "#default" ? "" : String($0) }
        guard inclusivePrefixes.count <= ContainerLimits.prefixCount else {
            throw ContainerError(.unsupported, "a canonicalization has too many prefixes")
        }
    }

    /// The canonical form of an element.
    ///
    /// - Throws: ``ContainerError``: `unsupported` if the form has comments.
    func octets(
        of element: XMLBranch, in tree: XMLTree, omitting omitted: [XMLBranch] = []
    ) throws -> [UInt8] {
        guard !hasComments || !tree.hasComments else {
            throw ContainerError(.unsupported, "signed comments in XML are not supported")
        }
        return try element.canonical(
            method, inclusivePrefixes: inclusivePrefixes, omitting: omitted)
    }

    /// The canonical form of a file, and what it does not cover of the file; nil if both are equal.
    ///
    /// Programs that read a file as XML find the same content in its canonical form, except for
    /// comments; others, such as browsers that read it as HTML, may not.
    ///
    /// - Throws: ``ContainerError``: `unsupported` if the form cannot be computed.
    func form(
        of bytes: [UInt8], named name: String
    ) throws -> (octets: [UInt8], problem: VerificationProblem?) {
        let file: XMLTree
        let octets: [UInt8]
        do {
            file = try XMLTree(bytes, byteLimit: ContainerLimits.transformedByteCount)
            octets = try self.octets(of: file.root, in: file)
        } catch  where !error.isOfMachine {
            throw ContainerError(
                .unsupported,
                "the canonical form of \(name.inQuotes) could not be computed: \(error)")
        }
        guard octets != bytes else { return (octets, nil) }
        let text = "only the canonical form of \(name.inQuotes) is covered"
        guard !file.hasComments else {
            return (octets, .uncovered(text + ", without its comments"))
        }
        guard name.lowercased().hasSuffix(".xml") else {
            return (octets, .uncovered(text + ", and its name does not end in '.xml'"))
        }
        return (octets, .remark(.fileNotCovered, text))
    }
}

extension VerificationProblem {
    fileprivate static func uncovered(_ message: String) -> Self {
        .doubt(.fileNotCovered, message, .signatureConstraintsFailure)
    }
}
