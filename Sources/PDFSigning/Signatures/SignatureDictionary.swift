package import Base
import PDFCore

/// The entries of a signature dictionary next to the signature value (ISO 32000-2 Table 255).
package struct SignatureProperties: Equatable, Sendable {
    package var name: String?
    package var reason: String?
    package var location: String?
    package var contact: String?
    /// The claimed signing time (/M): PAdES requires it here and not in the CMS (ETSI EN 319 142-1
    /// §6.3).
    package var claimedTime: CalendarTime

    package var format = SignatureSubFilter.pades
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

package enum SignatureKind: Sendable {
    case signature(SignatureProperties)
    /// Proves the existence of everything before it (ISO 32000-2 §12.8.5).
    case documentTimestamp
}

/// A signature dictionary with blank /ByteRange and /Contents, and their positions.
struct SignatureDictionary {
    let bytes: [UInt8]
    /// Position of the byte range's numbers, after `[0 `, in `bytes`.
    let byteRangeHole: Range<Int>
    /// The Contents placeholder, from `<` to `>` inclusive, in `bytes`.
    let contentsGap: Range<Int>

    /// Digits of one number of the byte range: files up to 10^12 bytes.
    private static let numberWidth = 12

    /// - Parameters:
    ///   - reservedByteCount: bytes kept for the CMS.
    ///   - catalogID: the object that a field lock's reference points to.
    ///   - encrypting: encrypts the strings of the dictionary, except the signature value (ISO
    ///     32000-2 §7.6.2).
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

    /// Adds the name, the claimed signing time and the reason.
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
