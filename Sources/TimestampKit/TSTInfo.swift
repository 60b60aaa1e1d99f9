package import Base
internal import CMSKit
internal import CryptoBridge

/// The signed content of a timestamp token (RFC 3161 §2.4.2).
///
///     TSTInfo ::= SEQUENCE {
///         version INTEGER { v1(1) }, policy OBJECT IDENTIFIER, messageImprint MessageImprint,
///         serialNumber INTEGER, genTime GeneralizedTime, accuracy Accuracy OPTIONAL,
///         ordering BOOLEAN DEFAULT FALSE, nonce INTEGER OPTIONAL, tsa [0] GeneralName OPTIONAL,
///         extensions [1] IMPLICIT Extensions OPTIONAL }
package struct TSTInfo: Sendable, Equatable {
    package let version: Int
    package let policy: OID
    package let messageImprint: MessageImprint
    /// The content bytes of the INTEGER.
    package let serialNumber: [UInt8]
    package let genTime: Moment
    package let accuracy: Accuracy?
    package let ordering: Bool
    /// The content bytes of the INTEGER.
    package let nonce: [UInt8]?
    /// DER of the GeneralName of the TSA.
    package let tsa: [UInt8]?
    package let extensions: [TimestampExtension]

    package init(
        policy: OID, messageImprint: MessageImprint, serialNumber: [UInt8],
        genTime: Moment, accuracy: Accuracy?, ordering: Bool = false, nonce: [UInt8]?,
        tsa: [UInt8]? = nil
    ) {
        version = 1
        self.policy = policy
        self.messageImprint = messageImprint
        self.serialNumber = serialNumber
        self.genTime = genTime
        self.accuracy = accuracy
        self.ordering = ordering
        self.nonce = nonce
        self.tsa = tsa
        extensions = []
    }

    /// Reads DER, and nothing after it.
    init(_ der: [UInt8]) throws(CMSError) {
        var reader = try NodeReader(
            try SignedData.Encoding.der.parse(der), ASN1Tag.sequence, "TSTInfo")
        version = try reader.next().smallInteger("TSTInfo's version")
        policy = try reader.next().objectIdentifier("the policy")
        messageImprint = try MessageImprint(try reader.next())
        serialNumber = try reader.next().integerContent(
            "the serial number", limit: TimestampLimits.serialByteCount)
        genTime = try Moment(try reader.next())
        accuracy = try reader.next(if: ASN1Tag.sequence).map { (node) throws(CMSError) in
            try Accuracy(node)
        }
        ordering = try reader.flag("ordering")
        nonce = try reader.next(if: ASN1Tag.integer)?
            .integerContent("the nonce", limit: TimestampLimits.nonceByteCount)
        tsa = try reader.next(if: ASN1Tag.context(0)).map { (node) throws(CMSError) in
            try node.only(ASN1Tag.context(0), "the authority's name").bytes
        }
        extensions = try TimestampExtension.list(if: ASN1Tag.context(1), &reader)
        try reader.end()
    }

    package var encoded: [UInt8] {
        var parts = [
            DERWriter.integer(version), DERWriter.objectIdentifier(policy),
            messageImprint.encoded, DERWriter.element(ASN1Tag.integer, serialNumber),
            ASN1Time.generalized(genTime.time, nanoseconds: genTime.nanoseconds),
        ]
        if let accuracy { parts.append(accuracy.encoded) }
        if ordering { parts.append(DERWriter.yes) }
        if let nonce { parts.append(DERWriter.element(ASN1Tag.integer, nonce)) }
        if let tsa { parts.append(DERWriter.element(ASN1Tag.context(0), of: [tsa])) }
        return DERWriter.sequence(parts)
    }

    package var serialHex: String { Hex.encode(serialNumber) }
    package var nonceHex: String? { nonce.map { Hex.encode($0) } }
    /// The name of the TSA, such as `dn:CN=…`; nil without one.
    package var tsaText: String? { tsa.map { GeneralNames.text(name: $0) } }

    /// The latest time within the accuracy: genTime plus accuracy, rounded up.
    package var latestTime: CalendarTime {
        let micros = genTime.nanoseconds / 1000 + (accuracy.map(\.submicroseconds) ?? 0)
        return genTime.time.adding(seconds: accuracy?.seconds ?? 0)
            .adding(seconds: (micros + 999_999) / 1_000_000)
    }

    /// The time of the proof of existence: genTime, or with an accuracy above one second (ETSI EN
    /// 319 422 §5.2.2) the latest time within it.
    package var provenTime: CalendarTime {
        accuracy?.isOverOneSecond == true ? latestTime : genTime.time
    }
}

/// The maximum deviation from genTime in both directions.
///
///     Accuracy ::= SEQUENCE {
///         seconds INTEGER OPTIONAL, millis [0] INTEGER (1..999) OPTIONAL,
///         micros [1] INTEGER (1..999) OPTIONAL }
package struct Accuracy: Sendable, Equatable, CustomStringConvertible {
    package let seconds: Int
    /// 0 to 999.
    package let milliseconds: Int
    /// 0 to 999.
    package let microseconds: Int

    /// Creates an accuracy of whole microseconds; a negative span becomes 0.
    package init(_ span: Duration) {
        let (whole, attoseconds) = max(.zero, span).components
        let fraction = Int(attoseconds / 1_000_000_000_000)
        seconds = Int(clamping: whole)
        milliseconds = fraction / 1000
        microseconds = fraction % 1000
    }

    init(_ node: ASN1Node) throws(CMSError) {
        var reader = try NodeReader(node, ASN1Tag.sequence, "the accuracy")
        seconds = try reader.next(if: ASN1Tag.integer)?.smallInteger("the accuracy's seconds") ?? 0
        milliseconds = try Accuracy.part(reader.next(if: ASN1Tag.context(0)))
        microseconds = try Accuracy.part(reader.next(if: ASN1Tag.context(1)))
        try reader.end()
        // An Int32 covers decades; larger values only serve attacks.
        guard (0...Int(Int32.max)).contains(seconds) else {
            throw CMSError(.malformed, "the accuracy is no span of time")
        }
    }

    private static func part(_ node: ASN1Node?) throws(CMSError) -> Int {
        guard let node else { return 0 }
        guard let content = node.primitive, (1...2).contains(content.count) else {
            throw CMSError(.malformed, "the accuracy's fraction is no small integer")
        }
        let value = content.reduce(0) { $0 << 8 | Int($1) }
        guard value < 1000 else {
            throw CMSError(.malformed, "the accuracy's fraction is over 999")
        }
        return value
    }

    var encoded: [UInt8] {
        var parts: [[UInt8]] = []
        if seconds > 0 { parts.append(DERWriter.integer(seconds)) }
        for (number, value) in [(UInt8(0), milliseconds), (1, microseconds)] where value > 0 {
            // IMPLICIT: the tag takes the place of INTEGER's.
            parts.append(DERWriter.integer(value, tag: ASN1Tag.primitiveContext(number)))
        }
        return DERWriter.sequence(parts)
    }

    /// The part below one second, in microseconds.
    var submicroseconds: Int { milliseconds * 1000 + microseconds }
    package var isOverOneSecond: Bool { seconds > 1 || seconds == 1 && submicroseconds > 0 }

    /// `1 s`, `0.5 s`.
    package var description: String {
        let fraction = String(1_000_000 + submicroseconds).dropFirst()
        let digits = fraction.reversed().drop { $0 == "0" }.reversed()
        return digits.isEmpty ? "\(seconds) s" : "\(seconds).\(String(digits)) s"
    }
}

extension Moment {
    /// A GeneralizedTime in the form of RFC 3161 §2.4.2: `20261121100000.25Z`, with optional
    /// fraction.
    fileprivate init(_ node: ASN1Node) throws(CMSError) {
        guard let (time, nanoseconds) = node.generalizedTime else {
            throw CMSError(.malformed, "genTime is no GeneralizedTime in UTC")
        }
        self.init(time, nanoseconds: nanoseconds)
    }
}
