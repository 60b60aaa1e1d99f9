internal import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TimestampKit
import TrustKit

/// Options of a small time-stamping authority.
public struct TimestampAuthorityOptions: Sendable {
    /// Policy of tokens as a dotted OID if the request contains none; nil uses an example policy.
    public var policy: String?
    /// Further policies permitted in requests, as dotted OIDs.
    public var furtherPolicies: [String] = []
    /// Accuracy in whole microseconds. If it is below one second, genTime has milliseconds.
    public var accuracy = Duration.seconds(1)
    /// Digest of token signatures; nil uses SHA-256, or the digest that the key requires.
    public var digest: SigningOptions.Digest?
    /// File of the last serial number; nil uses a file for the certificate in the user's data
    /// folder.
    public var serialFile: String?

    public init() {}
}

/// A small time-stamping authority (RFC 3161) for tests and closed groups.
public struct TimestampResponder: Sendable {
    private let authority: TimestampAuthority
    private let serials: SerialNumberFile
    /// Warnings about key and certificate.
    public let warnings: [String]

    /// Creates a TSA.
    ///
    /// - Parameter serialBlock: number of serial numbers reserved at once.
    /// - Throws: ``SignetError``: for example if the certificate is not restricted to time-stamping
    ///   (RFC 3161 §2.3).
    public init(
        credential: SigningCredential, options: TimestampAuthorityOptions, serialBlock: Int = 1
    ) throws {
        warnings = try credential.checkEligibility(at: SystemClock.now(), purpose: .timestamps)
        let signer = try reading(credential.source) {
            try credential.signer(digest: options.digest?.algorithm, padding: .pkcs1)
        }
        var configuration = TimestampAuthority.Configuration()
        configuration.furtherPolicies = Set(try options.furtherPolicies.map { try OID(policy: $0) })
        if let policy = options.policy { configuration.policy = try OID(policy: policy) }
        configuration.accuracy = Accuracy(options.accuracy)
        authority = try reading(credential.source) {
            try TimestampAuthority(signer: signer, configuration: configuration)
        }
        let path = try options.serialFile ?? Self.defaultSerialFile(for: credential.certificate)
        try writing(path) { try RunFiles.claim(path) }
        serials = SerialNumberFile(path: path, blockSize: serialBlock)
        // The file is used now, so that a failure is not first reported at a request.
        _ = try reading(path) { try serials.next() }
    }

    /// The file is named after the certificate's hash: serial numbers depend on the certificate,
    /// not on its path.
    private static func defaultSerialFile(for certificate: Certificate) throws -> String {
        let folder = try IdentityStore.defaultRoot() + "/tsa"
        let name = Hex.encode(try certificate.sha256)
        return try writing(folder) {
            try FileSystem.makePrivateFolder(folder)
            return "\(folder)/\(name).serial"
        }
    }

    /// Responds to a request.
    ///
    /// - Parameter source: a TimeStampReq: DER, PEM or base64.
    /// - Throws: ``SignetError`` for unreadable input and internal failures; a rejection is a
    ///   response.
    public func run(_ source: InputSource, into destination: Destination) throws -> ShownTimestamp {
        let request = try reading(source.name) {
            try TimestampInput.requestBytes(in: source.open())
        }
        let output = try destination.output()
        let (answer, _, failure) = respond(to: request)
        // Internal failures are not part of the response.
        if let failure { throw SignetError(reading: source.name, failure) }
        try output.finish(answer)
        return try reading(destination.path) {
            ShownTimestamp(try TimestampReply(answer), file: destination.path)
        }
    }

    /// Responds to any bytes.
    ///
    /// - Returns: a TimeStampResp in DER, a line for a log, and the internal failure, if any.
    func respond(
        to request: [UInt8]
    ) -> (response: [UInt8], summary: String, failure: (any Error)?) {
        let answer = authority.respond(to: request) {
            let now = SystemClock.precise()
            return Moment(now.time, nanoseconds: now.nanoseconds)
        } serialNumber: {
            Self.integerContent(try serials.next())
        }
        return (answer.response, answer.summary, answer.failure)
    }

    /// The shortest content of a positive INTEGER.
    private static func integerContent(_ number: Int64) -> [UInt8] {
        let bytes = stride(from: 56, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> Int64($0))
        }
        return DERWriter.unsignedContent(bytes)
    }
}
