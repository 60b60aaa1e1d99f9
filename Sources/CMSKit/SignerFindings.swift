import Base
import CryptoBridge

/// The result of one verification step, with its problems.
struct Finding<Value> {
    var value: Value
    var problems: [VerificationProblem]

    init(_ value: Value, _ problems: [VerificationProblem] = []) {
        self.value = value
        self.problems = problems
    }

    mutating func note(_ code: ProblemCode, _ message: String) {
        problems.append(.ofMessage(code, message))
    }

    /// The value of a substep, whose problems are added to this step.
    mutating func take<Other>(_ other: Finding<Other>) -> Other {
        problems += other.problems
        return other.value
    }
}

/// The results for one signer, sorted by the steps.
struct SignerFindings {
    /// The signer's digest algorithm; nil if unknown, and then there are no further steps.
    var form: Finding<DigestAlgorithm?>
    var attributes = Finding(CheckedAttributes())
    var signer = Finding(FoundSigner())
    var value = Finding(CheckedValue())

    var problems: [VerificationProblem] {
        form.problems + attributes.problems + signer.problems + value.problems
    }
}

struct CarriedCertificates {
    private(set) var certificates: [Certificate] = []
    /// False if one cannot be read.
    private(set) var areAllSound = true

    /// - Parameters:
    ///   - encoded: DER of each.
    ///   - known: parsed certificates by their bytes.
    init(_ encoded: [[UInt8]], known: [[UInt8]: Certificate]) {
        for der in encoded {
            if let certificate = known[der] ?? (try? Certificate(der: der)) {
                certificates.append(certificate)
            } else {
                areAllSound = false
            }
        }
    }
}

/// The signed content, as far as it is known.
struct SignedContent {
    let digest: DigestAlgorithm
    /// Hash with ``digest``; nil if the content is unknown.
    var hash: [UInt8]?
    /// The attached content, if permitted.
    var bytes: [UInt8]?
}

struct CheckedAttributes {
    var arePresent = false
    /// Nil without message-digest or the content's hash.
    var digestMatches: Bool?
    var claimedTime: CalendarTime?
    var statements = SignerStatements()
}

struct FoundSigner {
    var certificate: Certificate?
    /// Whether the signing-certificate reference is the hash of ``certificate``; nil without one.
    var isReferenced: Bool?
}

/// The result of checking a signature value.
struct CheckedValue {
    var scheme: SignatureScheme?
    /// Nil if it could not be checked.
    var isValid: Bool?
    /// Whether it is a valid signature over the content itself; nil with signed attributes.
    var isOfContent: Bool?
}
