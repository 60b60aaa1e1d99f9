/// Data on which a result is based, for reports and sentences. It contains no verdict.
package struct SignatureRecord: Sendable {
    /// Revocation data in DER.
    package enum Evidence: Sendable {
        case list([UInt8])
        case response([UInt8])
    }

    /// The signature value; for a timestamp that of its token.
    package internal(set) var value: [UInt8] = []
    /// Offsets and lengths of both byte ranges of a PDF signature; nil for others.
    package internal(set) var byteRange: [Int]?
    /// Hash of the signed content with the signature's digest algorithm; nil if unknown.
    package internal(set) var contentDigest: [UInt8]?
    /// The signed attributes, a DER SET; nil without any.
    package internal(set) var signedAttributes: [UInt8]?
    /// DER of the certificates from the signer to the trust anchor, or of the incomplete chain.
    package internal(set) var chain: [[UInt8]] = []
    /// Whether the last of ``chain`` is a trust anchor.
    package internal(set) var isAnchored = false
    /// The timestamp over the signature value, or the document timestamp itself: a CMS message.
    package internal(set) var token: [UInt8]?
    /// The timestamp with the earliest proof of existence; nil if there is none.
    package internal(set) var proof: [UInt8]?
    /// Revocation data of the signing certificate.
    package internal(set) var evidence: [Evidence] = []
    /// The TSA whose timestamp proves the time.
    package internal(set) var provenBy: String?
    /// DER of the trust anchor of that TSA; nil if unknown.
    package internal(set) var provenAnchor: [UInt8]?
    /// The signed revision, from 1, and the number of revisions; nil if it is the newest one.
    package internal(set) var revision: (number: Int, count: Int)?
    /// End of the signed revision as a byte offset; nil if unknown.
    package internal(set) var coveredByteCount: Int?
    /// Pages, from 1, with possibly visible changes; nil for any page, and if not computed.
    package internal(set) var changedPages: Set<Int>?
    package internal(set) var needsNoRevocation = false
    package internal(set) var claimsQualified = false
    /// Whether the signing certificate contains an OCSP or CRL URL.
    package internal(set) var namesRevocationPlace = true
}
