internal import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TimestampKit
import TrustKit

/// How a small time-stamping authority answers.
public struct TimestampAuthorityOptions: Sendable {
    /// The policy of tokens whose request names none; nil is an example policy.
    public var policy: String?
    /// More policies that requests may name.
    public var furtherPolicies: [String] = []
    /// Whole microseconds of it count; below a second the stamped time has milliseconds.
    public var accuracy = Duration.seconds(1)
    /// What tokens are signed with. Nil: SHA-256, or what the key demands.
    public var digest: SigningOptions.Digest?
    /// Where the last serial number is kept; nil is a file of the user's own for the certificate.
    public var serialFile: String?

    public init() {}
}

/// A small time-stamping authority (RFC 3161) for tests and closed groups.
public struct TimestampResponder: Sendable {
    private let authority: TimestampAuthority
    private let serials: SerialNumberFile
    /// Reasons to hesitate about key and certificate.
    public let warnings: [String]

    /// Refuses a certificate that is not for time-stamping alone.
    ///
    /// - Parameter serialBlock: how many serial numbers are set aside at once.
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
        // Better to know now than at the first request.
        _ = try reading(path) { try serials.next() }
    }

    /// A certificate's numbers are one sequence, whatever file it is read from.
    private static func defaultSerialFile(for certificate: Certificate) throws -> String {
        let folder = try IdentityStore.defaultRoot() + "/tsa"
        let name = Hex.encode(try certificate.sha256)
        return try writing(folder) {
            try FileSystem.makePrivateFolder(folder)
            return "\(folder)/\(name).serial"
        }
    }

    /// Answers a request.
    ///
    /// - Parameter source: a TimeStampReq: DER, PEM or base64.
    public func run(_ source: InputSource, into destination: Destination) throws -> ShownTimestamp {
        let request = try reading(source.name) {
            try TimestampInput.requestBytes(in: source.open())
        }
        let output = try destination.output()
        let (answer, _, failure) = respond(to: request)
        // What failed here is nothing for whoever asked to read.
        if let failure { throw SignetError(reading: source.name, failure) }
        try output.finish(answer)
        return try reading(destination.path) {
            ShownTimestamp(try TimestampReply(answer), file: destination.path)
        }
    }

    /// A response for any bytes, and a line for a log; and what failed here: no serial number could
    /// be had, or no signature.
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
