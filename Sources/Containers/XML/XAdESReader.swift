import Base
import CMSKit
import CryptoBridge
import TextBridge
import TrustKit

/// Verifies one `ds:Signature` (XML Signature §3.2; ETSI EN 319 132-1).
final class XAdESReader {
    static let namespace = "http://uri.etsi.org/01903/v1.3.2#"
    static let laterNamespace = "http://uri.etsi.org/01903/v1.4.1#"
    private static let dsig = XMLAlgorithm.namespace
    private static let propertiesType = "http://uri.etsi.org/01903#SignedProperties"

    private let element: XMLBranch
    private let tree: XMLTree
    private let files: CoveredFiles
    private let archive: ZIPArchive
    private let additional: [Certificate]

    /// The signed properties; nil if they are missing.
    private var signed: XMLBranch?
    private var stamps = XAdESStamps()
    private var facts = XMLSignatureFacts()
    private var covered = CoveredFiles.Finding()
    private var problems: [VerificationProblem] = []
    private var isSignedPropertiesCovered = false
    private var hasMismatch = false
    private var usesSHA1 = false
    /// The elements that references cover.
    private var signedElements: [XMLBranch] = []
    /// The data of the references in their order, for archive timestamps.
    private var referenceData: [XMLStampInput.Part] = []

    init(
        _ element: XMLBranch, _ tree: XMLTree, _ files: CoveredFiles, _ archive: ZIPArchive,
        _ additional: [Certificate]
    ) {
        self.element = element
        self.tree = tree
        self.files = files
        self.archive = archive
        self.additional = additional
    }

    private func fail(_ message: String) {
        problems.append(.failure(.signatureFormUnsupported, message))
    }

    /// The result. Damage to the signature is a problem; damage to the container is an error.
    func signature() throws -> XAdESSignature {
        let properties = qualifyingProperties()
        signed = properties?.only("SignedProperties", in: Self.namespace)
        if properties != nil, signed == nil {
            fail("the signature must have exactly one SignedProperties")
        }
        guard let info = element.only("SignedInfo", in: Self.dsig),
            let valueElement = element.only("SignatureValue", in: Self.dsig),
            let value = valueElement.base64
        else {
            fail("the signature must have exactly one SignedInfo and one SignatureValue")
            return result()
        }
        facts.value = value
        try checkReferences(of: info)
        noteUnsignedParts(besides: info)
        let unsigned = properties?.only("UnsignedProperties", in: Self.namespace)?
            .only("UnsignedSignatureProperties", in: Self.namespace)
        stamps = try XAdESStamps(
            unsigned,
            XMLStampInput(
                tree: tree, element: element, info: info, value: valueElement,
                references: referenceData), files)
        let signer = try XMLSigner(
            of: element, signed, stamps.material.certificates + additional)
        problems += signer.problems
        facts.signer = signer.certificate
        facts.isReferenced = signer.isReferenced
        facts.certificates = signer.certificates
        if let certificate = signer.certificate { try checkValue(info, certificate) }
        return result()
    }

    /// The qualifying properties of the signature (ETSI EN 319 132-1 §4.3), which must be its own.
    private func qualifyingProperties() -> XMLBranch? {
        let found = element.all("Object", in: Self.dsig).flatMap {
            $0.all("QualifyingProperties", in: Self.namespace)
        }
        guard !found.isEmpty else {
            problems.append(
                .doubt(
                    .signatureFormUnsupported,
                    "the signature has no QualifyingProperties of XAdES 1.3.2"))
            return nil
        }
        guard found.count == 1 else {
            fail("the signature has \(found.count) QualifyingProperties of XAdES 1.3.2, not one")
            return nil
        }
        let id = element[attribute: "Id"]
        guard id != nil, found[0][attribute: "Target"] == "#" + (id ?? "") else {
            fail("the QualifyingProperties belong to another signature")
            return nil
        }
        return found[0]
    }

    // MARK: References (XML Signature §4.4.3)

    private func checkReferences(of info: XMLBranch) throws {
        let references = info.all("Reference", in: Self.dsig)
        guard references.count <= ContainerLimits.referenceCount else {
            throw ContainerError(.limitExceeded, "a signature refers to too many files")
        }
        for reference in references {
            do {
                try check(reference)
            } catch let error as ContainerError where error.code != .malformed {
                problems.append(.doubt(.signatureFormUnsupported, error.detail))
            } catch let error as XMLError {
                problems.append(
                    .doubt(.signatureFormUnsupported, "signed XML cannot be read: \(error.detail)"))
            }
        }
        if signed != nil, !isSignedPropertiesCovered {
            fail("the signature does not cover its SignedProperties")
        }
    }

    private func check(_ reference: XMLBranch) throws {
        guard
            let method = reference.only("DigestMethod", in: Self.dsig)?[attribute: "Algorithm"],
            let value = reference.only("DigestValue", in: Self.dsig)?.base64,
            let uri = reference[attribute: "URI"]
        else {
            fail("a reference has no URI or no hash")
            return
        }
        let isInside = uri.hasPrefix("#") || uri.isEmpty
        covered.refersToFiles = covered.refersToFiles || !isInside
        guard let digest = XMLAlgorithm.digest(method) else {
            throw ContainerError(.unsupported, "the digest algorithm \(method.inQuotes) is unknown")
        }
        if digest == .sha1 { usesSHA1 = true }
        let transforms = try XMLTransforms(of: reference)
        if isInside {
            try checkInside(reference, uri, transforms, (digest, value))
        } else {
            try checkFile(reference, uri, transforms, (digest, value))
        }
    }

    /// A reference inside the file, to the only element with its `Id`.
    private func checkInside(
        _ reference: XMLBranch, _ uri: String, _ transforms: XMLTransforms,
        _ expected: (digest: DigestAlgorithm, value: [UInt8])
    ) throws {
        guard let target = tree.element(id: String(uri.dropFirst())), !uri.isEmpty else {
            problems.append(
                .failure(
                    .referenceUnresolved,
                    "the signed element \(uri.inQuotes) is missing or not the only one",
                    .formatFailure))
            return
        }
        signedElements.append(target)
        let isProperties = reference[attribute: "Type"] == Self.propertiesType
        if isProperties, signed.map({ !$0.isSame(as: target) }) ?? true {
            fail("the signature covers SignedProperties that are not its own")
            return
        }
        guard !target.contains(element) || transforms.isEnveloped else {
            throw ContainerError(.unsupported, "the signature covers itself")
        }
        let octets = try (transforms.canonicalization ?? .standard).octets(
            of: target, in: tree, omitting: transforms.isEnveloped ? [element] : [])
        referenceData.append(.bytes(octets))
        guard try expected.digest.hash(octets) == expected.value else {
            mismatch(
                isProperties
                    ? "the signed properties were modified after signing (digest mismatch)"
                    : "the signed element \(uri.inQuotes) was modified after signing (digest mismatch)"
            )
            return
        }
        if signed?.isSame(as: target) == true, !transforms.isEnveloped {
            isSignedPropertiesCovered = true
        }
        let manifests = tree.all(XMLName("Manifest", namespace: Self.dsig))
        guard !manifests.contains(where: target.contains) else {
            throw ContainerError(
                .unsupported, "the files in the manifest \(uri.inQuotes) were not checked")
        }
    }

    /// Notes parts of the signature that programs may show although they are not signed, and
    /// descriptions of files that are not signed.
    private func noteUnsignedParts(besides info: XMLBranch) {
        let fixed = ["SignedInfo", "SignatureValue", "KeyInfo"].map {
            XMLName($0, namespace: Self.dsig)
        }
        let properties = XMLName("QualifyingProperties", namespace: Self.namespace)
        func isSigned(_ part: XMLBranch) -> Bool {
            part.name == properties || signedElements.contains { $0.contains(part) }
        }
        let others = element.children.filter { child in
            let parts = child.children
            return !fixed.contains(child.name) && !isSigned(child)
                && (parts.isEmpty || !parts.allSatisfy(isSigned))
        }
        if !others.isEmpty {
            problems.append(
                .remark(
                    .signatureFormUnsupported,
                    "the signature has the unsigned part \(others[0].name.local.inQuotes)"))
        }
        let known = Set(
            info.all("Reference", in: Self.dsig).compactMap { $0[attribute: "Id"] }
                .map { ExactText("#" + $0) })
        let isUnknown = dataObjectFormats.contains {
            !known.contains(ExactText($0[attribute: "ObjectReference"] ?? ""))
        }
        if isUnknown {
            problems.append(
                .remark(
                    .manifestMismatch,
                    "the signed properties give the type of a file that is not signed"))
        }
    }

    /// The media types of the signed properties, by reference.
    private lazy var mimeTypes: [ExactText: String] = Dictionary(
        dataObjectFormats.compactMap { format in
            format[attribute: "ObjectReference"].flatMap { reference in
                format.only("MimeType", in: Self.namespace).map {
                    (ExactText(reference), $0.text)
                }
            }
        }, uniquingKeysWith: { first, _ in first })

    private var dataObjectFormats: [XMLBranch] {
        signed?.only("SignedDataObjectProperties", in: Self.namespace)?
            .all("DataObjectFormat", in: Self.namespace) ?? []
    }

    private func mismatch(_ message: String) {
        hasMismatch = true
        problems.append(.failure(.digestMismatch, message, .hashFailure))
    }

    private func checkFile(
        _ reference: XMLBranch, _ uri: String, _ transforms: XMLTransforms,
        _ expected: (digest: DigestAlgorithm, value: [UInt8])
    ) throws {
        guard let entry = archive.entry(FileReference(uri), &covered) else { return }
        guard !transforms.isEnveloped else {
            throw ContainerError(.unsupported, "a file is transformed as an enveloped signature")
        }
        let before = covered.covered.count
        if let canonicalization = transforms.canonicalization {
            let form = try canonicalization.form(
                of: files.contentToTransform(entry), named: entry.name)
            referenceData.append(.bytes(form.octets))
            if try expected.digest.hash(form.octets) == expected.value {
                covered.covered.append(entry.name)
                covered.problems += [form.problem].compactMap(\.self)
            }
        } else {
            referenceData.append(.file(entry))
            if try files.hash(of: entry, expected.digest) == expected.value {
                covered.covered.append(entry.name)
            }
        }
        guard covered.covered.count > before else {
            mismatch(
                "the file \(entry.name.inQuotes) was modified after signing (digest mismatch)")
            return
        }
        files.compareType(mimeType(of: reference), of: entry, &covered)
    }

    /// The media type of a reference in the signed properties (ETSI EN 319 132-1 §5.2.4).
    private func mimeType(of reference: XMLBranch) -> String? {
        guard let id = reference[attribute: "Id"] else { return nil }
        return mimeTypes[ExactText("#" + id)]
    }

    // MARK: Signature value (XML Signature §4.3, §4.4.2)

    private func checkValue(_ info: XMLBranch, _ signer: Certificate) throws {
        guard
            let method = info.only("SignatureMethod", in: Self.dsig)?[attribute: "Algorithm"],
            let scheme = XMLAlgorithm.signature(method)
        else {
            problems.append(
                .doubt(
                    .algorithmUnsupported, "the signature algorithm is unknown",
                    .cryptoConstraintsFailureNoPOE))
            return
        }
        facts.scheme = scheme
        if scheme.digest == .sha1 { usesSHA1 = true }
        do {
            let octets = try XMLTransforms.Canonicalization(
                info.only("CanonicalizationMethod", in: Self.dsig)
            ).octets(of: info, in: tree)
            facts.isValid =
                try XMLAlgorithm.verify(facts.value, scheme, signer.publicKey, over: octets)
                ?? false
        } catch let error as ContainerError {
            problems.append(.doubt(.signatureFormUnsupported, error.detail))
        } catch let error as XMLError {
            problems.append(.doubt(.signatureFormUnsupported, error.detail))
        } catch  where !error.isOfMachine {
            problems.append(
                .doubt(.keyUnsupported, "\(error)", .cryptoConstraintsFailureNoPOE))
        }
        if facts.isValid == false {
            problems.append(
                .failure(
                    .signatureInvalid,
                    "the signature value does not match the signing certificate",
                    .signatureCryptoFailure))
        }
    }

    private func result() -> XAdESSignature {
        facts.claimedTime = signed?.only("SignedSignatureProperties", in: Self.namespace)?
            .only("SigningTime", in: Self.namespace)
            .flatMap { CalendarTime(xmlDateTime: $0.text.filter { !$0.isWhitespace }) }
        facts.digest = usesSHA1 ? .sha1 : facts.scheme?.digest
        facts.digestMatches = !hasMismatch && isSignedPropertiesCovered
        facts.certificates += stamps.material.certificates
        facts.problems = problems
        return XAdESSignature(
            check: SignatureCheck(facts), covered: covered,
            signatureStamps: stamps.signatureStamps, archiveStamps: stamps.archiveStamps,
            material: stamps.material, problems: stamps.problems)
    }
}
