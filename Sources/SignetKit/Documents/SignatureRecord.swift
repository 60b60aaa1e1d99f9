/// The bytes behind an answer, for reports that others check: nothing here is a verdict.
public struct SignatureRecord: Sendable {
    /// What an authority says of revocations, in DER.
    public enum Evidence: Sendable {
        case list([UInt8])
        case response([UInt8])
    }

    /// The signature's value; of a time stamp its token's.
    public internal(set) var value: [UInt8] = []
    /// First bytes and lengths of both spans of a PDF's signature; nil elsewhere.
    public internal(set) var byteRange: [Int]?
    /// The hash of what is signed, by the signature's algorithm; nil where it is not known.
    public internal(set) var contentDigest: [UInt8]?
    /// The signed attributes, a DER SET; nil where there are none.
    public internal(set) var signedAttributes: [UInt8]?
    /// DER of the certificates from the signer's to its anchor, or as far as they lead.
    public internal(set) var chain: [[UInt8]] = []
    /// Whether the last of ``chain`` is a trust anchor.
    public internal(set) var isAnchored = false
    /// The time stamp over the signature's value, or a document timestamp itself: a CMS message.
    public internal(set) var token: [UInt8]?
    /// The time stamp that proves since when the signature exists; nil where none does.
    public internal(set) var proof: [UInt8]?
    /// What is known of the revocation of the signer's certificate.
    public internal(set) var evidence: [Evidence] = []
}
