internal import Base
package import CMSKit

/// A time-stamp token (RFC 3161 §2.4.2): a SignedData over a ``TSTInfo``. Nothing in it has been
/// verified; ``TimestampVerifier`` does that.
package struct TimestampToken: Sendable {
    /// The bytes of the ContentInfo as received, for attributes and documents.
    package let encoded: [UInt8]
    package let signedData: SignedData
    package let info: TSTInfo

    /// Reads one ContentInfo and nothing after it.
    ///
    /// - Throws: ``CMSError``, `.notSignedData` for another kind of message.
    package init(_ bytes: [UInt8], encoding: SignedData.Encoding = .der) throws(CMSError) {
        guard bytes.count <= TimestampLimits.replyByteCount else {
            throw CMSError(
                .limitExceeded,
                "a token of \(bytes.count) bytes, over \(TimestampLimits.replyByteCount)")
        }
        signedData = try SignedData(bytes, encoding: encoding)
        guard signedData.contentType == .tstInfo else {
            throw CMSError(
                .notSignedData,
                "the CMS structure is not a timestamp token: \(signedData.contentType)")
        }
        guard let content = signedData.content else {
            throw CMSError(.malformed, "the timestamp token is empty")
        }
        info = try TSTInfo(content)
        encoded = bytes
    }
}

/// A TimeStampResp, or the bare token from one.
package enum TimestampReply: Sendable {
    case response(TimestampResponse)
    case token(TimestampToken)

    /// Detects which one it is. BER is accepted, since some TSAs write it.
    package init(_ bytes: [UInt8]) throws(CMSError) {
        guard bytes.count <= TimestampLimits.replyByteCount else {
            throw CMSError(
                .limitExceeded,
                "an answer of \(bytes.count) bytes, over \(TimestampLimits.replyByteCount)")
        }
        self = try SignedData.Encoding.either { encoding throws(CMSError) in
            try TimestampReply(bytes, encoding)
        }
    }

    private init(_ bytes: [UInt8], _ encoding: SignedData.Encoding) throws(CMSError) {
        let root = try encoding.parse(bytes)
        var reader = try NodeReader(root, ASN1Tag.sequence, "the answer")
        if try reader.next().hasNumber(of: ASN1Tag.objectIdentifier) {
            self = .token(try TimestampToken(bytes, encoding: encoding))
        } else {
            self = .response(try TimestampResponse(root, encoding))
        }
    }

    package var token: TimestampToken? {
        switch self {
        case .response(let response): response.token
        case .token(let token): token
        }
    }

    package var response: TimestampResponse? {
        if case .response(let response) = self { response } else { nil }
    }
}
