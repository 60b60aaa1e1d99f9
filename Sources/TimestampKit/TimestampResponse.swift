internal import Base
internal import CMSKit

/// The response of a TSA (RFC 3161 §2.4.2).
///
///     TimeStampResp ::= SEQUENCE {
///         status PKIStatusInfo, timeStampToken TimeStampToken OPTIONAL }
///     PKIStatusInfo ::= SEQUENCE {
///         status PKIStatus, statusString PKIFreeText OPTIONAL,
///         failInfo PKIFailureInfo OPTIONAL }
package struct TimestampResponse: Sendable {
    package let status: PKIStatus
    /// The TSA's messages, in its language.
    package let statusTexts: [String]
    /// Numbers of the bits set in failInfo, known and unknown.
    package let failureBits: [Int]
    package let token: TimestampToken?

    /// The known failures among ``failureBits``.
    package var failures: [PKIFailureInfo] { failureBits.compactMap(PKIFailureInfo.init) }

    /// The status for people, such as
    /// `rejection (badAlg: unrecognised or unsupported algorithm): "no MD5"`.
    package var statusDescription: String {
        let names = failureBits.map { bit in
            PKIFailureInfo(rawValue: bit).map { "\($0.name): \($0.meaning)" } ?? "bit \(bit)"
        }
        let reasons = names.isEmpty ? "" : " (\(names.joined(separator: "; ")))"
        let texts = statusTexts.map { "\"\($0)\"" }.joined(separator: ", ")
        return status.name + reasons + (texts.isEmpty ? "" : ": " + texts)
    }

    package init(
        status: PKIStatus, statusTexts: [String] = [], failure: PKIFailureInfo? = nil,
        token: TimestampToken? = nil
    ) {
        self.status = status
        self.statusTexts = statusTexts
        failureBits = [failure].compactMap { $0?.rawValue }
        self.token = token
    }

    init(_ root: ASN1Node, _ encoding: SignedData.Encoding) throws(CMSError) {
        var reader = try NodeReader(root, ASN1Tag.sequence, "the timestamp response")
        var info = try NodeReader(try reader.next(), ASN1Tag.sequence, "PKIStatusInfo")
        let number = try info.next().smallInteger("the status")
        guard let status = PKIStatus(rawValue: number) else {
            throw CMSError(.malformed, "the unknown status \(number)")
        }
        self.status = status
        statusTexts = try TimestampResponse.texts(info.next(if: ASN1Tag.sequence))
        failureBits = try TimestampResponse.bits(info.next(if: ASN1Tag.bitString))
        try info.end()
        if reader.isAtEnd {
            token = nil
        } else {
            token = try TimestampToken(try reader.next().bytes, encoding: encoding)
        }
        try reader.end()
    }

    /// PKIFreeText ::= SEQUENCE OF UTF8String. Other primitive elements are read as UTF-8 too.
    private static func texts(_ node: ASN1Node?) throws(CMSError) -> [String] {
        guard let node else { return [] }
        var reader = try NodeReader(node, ASN1Tag.sequence, "the status' text")
        var texts: [String] = []
        for node in try reader.rest(limit: TimestampLimits.statusTextCount) {
            guard let content = node.primitive else {
                throw CMSError(.malformed, "the status text is not a string")
            }
            texts.append(
                String(
                    decoding: content.prefix(TimestampLimits.statusTextByteCount), as: UTF8.self))
        }
        return texts
    }

    /// Numbers of the bits set in a BIT STRING; its padding bits are ignored (X.690 §8.6.2).
    private static func bits(_ node: ASN1Node?) throws(CMSError) -> [Int] {
        guard let node else { return [] }
        guard let content = node.primitive, let paddingCount = content.first,
            paddingCount < 8, content.count <= 8
        else { throw CMSError(.malformed, "failInfo is not a bit string") }
        let bytes = Array(content.dropFirst())
        return (0..<max(0, bytes.count * 8 - Int(paddingCount))).filter { bit in
            bytes[bit / 8] & 0x80 >> UInt8(bit % 8) != 0
        }
    }

    package func encoded() -> [UInt8] {
        var info = [DERWriter.integer(status.rawValue)]
        if !statusTexts.isEmpty {
            info.append(
                DERWriter.sequence(
                    statusTexts.map { DERWriter.element(ASN1Tag.utf8String, Array($0.utf8)) }))
        }
        if let last = failureBits.max() {
            var bytes = [UInt8](repeating: 0, count: last / 8 + 1)
            for bit in failureBits { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
            info.append(DERWriter.element(ASN1Tag.bitString, [UInt8(7 - last % 8)] + bytes))
        }
        return DERWriter.sequence(DERWriter.sequence(info), token?.encoded ?? [])
    }
}

/// The status of the response (RFC 3161 §2.4.2).
package enum PKIStatus: Int, Sendable {
    case granted = 0
    case grantedWithMods = 1
    case rejection = 2
    case waiting = 3
    case revocationWarning = 4
    case revocationNotification = 5

    /// The name in the standard.
    package var name: String { "\(self)" }
    /// Whether the response must contain a token.
    package var isGranted: Bool { self == .granted || self == .grantedWithMods }
}

/// The reason for a rejection; raw values are bit numbers.
package enum PKIFailureInfo: Int, Sendable, CaseIterable {
    case badAlg = 0
    case badRequest = 2
    case badDataFormat = 5
    case timeNotAvailable = 14
    case unacceptedPolicy = 15
    case unacceptedExtension = 16
    case addInfoNotAvailable = 17
    case systemFailure = 25

    /// The name in the standard.
    package var name: String { "\(self)" }

    var meaning: String {
        switch self {
        case .badAlg: "unrecognised or unsupported algorithm"
        case .badRequest: "transaction not permitted or supported"
        case .badDataFormat: "the data has the wrong format"
        case .timeNotAvailable: "the time source is not available"
        case .unacceptedPolicy: "the requested policy is not supported"
        case .unacceptedExtension: "the requested extension is not supported"
        case .addInfoNotAvailable: "the additional information is not available"
        case .systemFailure: "the authority failed"
        }
    }
}
