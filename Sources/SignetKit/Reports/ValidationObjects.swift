import Base
import CryptoBridge

/// The objects in a validation report, without duplicates, with names derived from their bytes.
struct ValidationObjects {
    enum Kind: String {
        case certificate, timestamp
        case list = "CRL"
        case response = "OCSPResponse"

        fileprivate var letter: String {
            switch self {
            case .certificate: "C"
            case .timestamp: "T"
            case .list, .response: "R"
            }
        }
    }

    /// Maximum size in bytes of an embedded object. Larger objects, such as long CRLs, are only
    /// included as hashes.
    private static let embeddedByteLimit = 1 << 20

    /// Whether objects up to that size are embedded.
    let embeds: Bool
    private var names: Set<String> = []
    private var elements: [ReportElement] = []

    init(embeds: Bool) { self.embeds = embeds }

    /// The element with all objects; nil if there are none.
    var element: ReportElement? {
        elements.isEmpty ? nil : ReportElement("SignatureValidationObjects", elements)
    }

    /// A unique name derived from the bytes.
    func name(_ bytes: [UInt8]) throws -> String {
        Hex.encode(try DigestAlgorithm.sha256.hash(bytes)).uppercased()
    }

    /// Adds an object, unless it is already included.
    ///
    /// - Parameter details: further elements of the object.
    /// - Returns: its name in the report.
    @discardableResult mutating func add(
        _ kind: Kind, _ bytes: [UInt8], _ details: [ReportElement?] = []
    ) throws -> String {
        let hash = try DigestAlgorithm.sha256.hash(bytes)
        let name = "\(kind.letter)-\(Hex.encode(hash).uppercased())"
        guard names.insert(name).inserted else { return name }
        let representation =
            embeds && bytes.count <= Self.embeddedByteLimit
            ? ReportElement("base64", text: Base64.encode(bytes))
            : ReportElement(
                "DigestAlgAndValue",
                ReportElement("ds:DigestMethod", "Algorithm", AlgorithmURI.digest(.sha256) ?? ""),
                ReportElement("ds:DigestValue", text: Base64.encode(hash)))
        elements.append(
            ReportElement(
                "ValidationObject",
                [
                    ReportElement(
                        "ObjectType",
                        text: ValidationReport.etsi + "validationObject:" + kind.rawValue),
                    ReportElement("ValidationObjectRepresentation", representation),
                ] + details
            ).with("id", name))
        return name
    }

    mutating func add(_ evidence: SignatureRecord.Evidence) throws -> String {
        switch evidence {
        case .list(let der): try add(.list, der)
        case .response(let der): try add(.response, der)
        }
    }
}
