package import Base
import PDFCore

/// What the signature dictionary says beside the signature (ISO 32000-2 Table 255).
package struct SignatureProperties: Equatable, Sendable {
    package var name: String?
    package var reason: String?
    package var location: String?
    package var contact: String?
    /// The claimed time of signing, /M: PAdES wants it here and not in the CMS
    /// (ETSI EN 319 142-1 §6.3).
    package var claimedTime: CalendarTime

    package var format = SigningTerms.Format.pades
    package var restriction = SignatureRestriction()

    package init(
        name: String? = nil, reason: String? = nil, location: String? = nil,
        contact: String? = nil, claimedTime: CalendarTime
    ) {
        self.name = name
        self.reason = reason
        self.location = location
        self.contact = contact
        self.claimedTime = claimedTime
    }
}

/// What a signature dictionary is for.
package enum SignatureKind: Sendable {
    case signature(SignatureProperties)
    /// Proves that everything before it existed (ISO 32000-2 §12.8.5); it says nothing else.
    case documentTimestamp
}

/// A signature dictionary written with blank /ByteRange and /Contents, whose places are known.
struct SignatureDictionary {
    let bytes: [UInt8]
    /// Where the byte range's numbers go, behind `[0 `, in `bytes`.
    let byteRangeHole: Range<Int>
    /// The gap of the byte range: `<` to `>` inclusive, in `bytes`.
    let contentsGap: Range<Int>

    /// Digits of one number of the byte range: files up to 10^12 bytes.
    private static let numberWidth = 12

    /// - Parameters:
    ///   - reservedByteCount: bytes kept for the CMS.
    ///   - catalogID: what a field lock's reference points to.
    ///   - encrypting: what strings become in the file, whose encryption leaves out nothing but
    ///     the signature itself (ISO 32000-2 §7.6.2).
    init(
        _ kind: SignatureKind, reservedByteCount: Int, catalogID: ObjectID,
        encrypting: (PDFObject) throws(PDFError) -> PDFObject
    ) throws(PDFError) {
        var bytes: [UInt8] = []
        func put(_ text: String) { bytes += Array(text.utf8) }
        let (type, subFilter) =
            switch kind {
            case .signature(let properties): ("Sig", properties.format.rawValue)
            case .documentTimestamp: ("DocTimeStamp", "ETSI.RFC3161")
            }
        put("<</Type/\(type)/Filter/Adobe.PPKLite/SubFilter/\(subFilter)\n/ByteRange [0 ")
        let holeStart = bytes.count
        bytes += [UInt8](repeating: 0x20, count: 3 * (Self.numberWidth + 1))
        byteRangeHole = holeStart..<bytes.count
        put("]\n/Contents ")
        let gapStart = bytes.count
        bytes.append(UInt8(ascii: "<"))
        bytes += [UInt8](repeating: UInt8(ascii: "0"), count: 2 * reservedByteCount)
        bytes.append(UInt8(ascii: ">"))
        contentsGap = gapStart..<bytes.count
        put("\n")
        if case .signature(let properties) = kind {
            try Self.put(properties, catalogID, encrypting, into: &bytes)
        }
        bytes += Array(">>".utf8)
        self.bytes = bytes
    }

    /// The entries that say who signs, when and why.
    private static func put(
        _ properties: SignatureProperties, _ catalogID: ObjectID,
        _ encrypting: (PDFObject) throws(PDFError) -> PDFObject, into bytes: inout [UInt8]
    ) throws(PDFError) {
        let texts: [(String, String?)] = [
            ("M", properties.claimedTime.pdfDate),
            ("Name", properties.name), ("Reason", properties.reason),
            ("Location", properties.location), ("ContactInfo", properties.contact),
        ]
        for (key, text) in texts {
            guard let text else { continue }
            bytes += Array("/\(key)".utf8)
            PDFWriter.write(try encrypting(.string(.text(text))), into: &bytes)
        }
        let references = properties.restriction.references(catalogID: catalogID)
        if !references.isEmpty {
            bytes += Array("/Reference".utf8)
            PDFWriter.write(try encrypting(.array(references)), into: &bytes)
        }
        bytes += Array("/Prop_Build<</App<</Name/Signet>>>>".utf8)
    }
}
