import Base
import CryptoBridge

/// What one step of verifying found, and the problems that it saw.
struct Finding<Value> {
    var value: Value
    var problems: [CMSProblem]

    init(_ value: Value, _ problems: [CMSProblem] = []) {
        self.value = value
        self.problems = problems
    }

    mutating func note(_ code: CMSProblem.Code, _ message: String) {
        problems.append(CMSProblem(code, message))
    }

    /// The value of a step within this one, whose problems are this one's too.
    mutating func take<Other>(_ other: Finding<Other>) -> Other {
        problems += other.problems
        return other.value
    }
}

/// What the steps found about one signer, in their order.
struct SignerFindings {
    /// The hash that the signer names; nil for one that is not known, and then there are no further
    /// steps.
    var form: Finding<DigestAlgorithm?>
    var attributes = Finding(CheckedAttributes())
    var signer = Finding(FoundSigner())
    var value = Finding(CheckedValue())

    var problems: [CMSProblem] {
        form.problems + attributes.problems + signer.problems + value.problems
    }
}

/// The certificates that a message brings.
struct CarriedCertificates {
    private(set) var certificates: [Certificate] = []
    /// False where one cannot be read.
    private(set) var areAllSound = true

    /// - Parameters:
    ///   - encoded: DER of each.
    ///   - known: those met before, by their bytes.
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

/// What a signer signed, as far as it is known.
struct SignedContent {
    let digest: DigestAlgorithm
    /// By ``digest``; nil where nobody has it.
    var hash: [UInt8]?
    /// Where the message carries it, as it should.
    var bytes: [UInt8]?
}

/// What the signed attributes say.
struct CheckedAttributes {
    var arePresent = false
    /// Nil where content-type is missing.
    var contentTypeMatches: Bool?
    /// Nil where message-digest or the content's hash is missing.
    var digestMatches: Bool?
    var claimedTime: CalendarTime?
}

/// Who is said to have signed.
struct FoundSigner {
    var certificate: Certificate?
    /// Whether the signing-certificate reference is the hash of ``certificate``; nil without one.
    var isReferenced: Bool?
}

/// What a signature's value is worth.
struct CheckedValue {
    var scheme: SignatureScheme?
    /// Nil where it could not be checked.
    var isValid: Bool?
    /// Whether it is over the content itself and verifies; nil where it is over signed attributes.
    var isOfContent: Bool?
}
