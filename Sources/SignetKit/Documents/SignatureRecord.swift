/// What stands behind an answer, for reports and sentences: nothing here is a verdict.
package struct SignatureRecord: Sendable {
    /// What an authority says of revocations, in DER.
    package enum Evidence: Sendable {
        case list([UInt8])
        case response([UInt8])
    }

    /// The signature's value; of a time stamp its token's.
    package internal(set) var value: [UInt8] = []
    /// First bytes and lengths of both spans of a PDF's signature; nil elsewhere.
    package internal(set) var byteRange: [Int]?
    /// The hash of what is signed, by the signature's algorithm; nil where it is not known.
    package internal(set) var contentDigest: [UInt8]?
    /// The signed attributes, a DER SET; nil where there are none.
    package internal(set) var signedAttributes: [UInt8]?
    /// DER of the certificates from the signer's to its anchor, or as far as they lead.
    package internal(set) var chain: [[UInt8]] = []
    /// Whether the last of ``chain`` is a trust anchor.
    package internal(set) var isAnchored = false
    /// The time stamp over the signature's value, or a document timestamp itself: a CMS message.
    package internal(set) var token: [UInt8]?
    /// The time stamp that proves since when the signature exists; nil where none does.
    package internal(set) var proof: [UInt8]?
    /// What is known of the revocation of the signer's certificate.
    package internal(set) var evidence: [Evidence] = []
    /// The TSA whose timestamp proves the time.
    package internal(set) var provenBy: String?
    /// Where the signed revision ends; nil if it is not known.
    package internal(set) var coveredByteCount: Int?
    /// The pages, from 1, on which changes may be visible; nil for any page, and if that was not asked for.
    package internal(set) var changedPages: Set<Int>?
    /// Whether the signing certificate states that its revocation status need not be checked.
    package internal(set) var needsNoRevocation = false
    /// Whether it contains an OCSP or CRL URL.
    package internal(set) var namesRevocationPlace = true
}
