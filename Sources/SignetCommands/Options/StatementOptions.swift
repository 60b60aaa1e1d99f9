import ArgumentParser
import Base
import SignetKit

/// Statements of the signer in signed attributes (ETSI EN 319 122-1 §5.2).
struct StatementOptions: ParsableArguments {
    @Option("Object identifier of the signature policy, added to the signature", value: "oid")
    var signaturePolicy: String?
    @Option("Policy document, whose hash is added to the signature", value: "file")
    var signaturePolicyFile: String?
    @Option(
        "Commitment (meaning of the signature), such as proof-of-approval, or an OID; may be repeated",
        value: "name", completion: .list(CommitmentType.allCases.map(\.rawValue)))
    var commitment: [String] = []
    @Option(
        "Claimed role of the signer, such as 'Managing director'; may be repeated", value: "text")
    var role: [String] = []
    @Flag(help: "Also timestamp the content before signing")
    var contentTimestamp = false

    func validate() throws {
        if let signaturePolicy, OID(signaturePolicy) == nil {
            throw ValidationError(
                "The value '\(signaturePolicy)' is invalid for '--signature-policy': expected an object identifier such as 1.2.3.4."
            )
        }
        if signaturePolicyFile != nil && signaturePolicy == nil {
            throw ValidationError("--signature-policy-file requires --signature-policy OID.")
        }
        for name in commitment where CommitmentType.oid(named: name) == nil {
            throw ValidationError(
                "The value '\(name)' is invalid for '--commitment': expected "
                    + CommitmentType.allCases.map(\.rawValue).joined(separator: ", ")
                    + " or an object identifier.")
        }
        for text in role { try Value.requireText(text, "--role") }
    }

    func check(_ timestamp: TimestampArguments) throws {
        if contentTimestamp && timestamp.tsa.isEmpty {
            throw ValidationError("--content-timestamp requires --tsa URL.")
        }
    }

    var isUsed: Bool {
        signaturePolicy != nil || !commitment.isEmpty || !role.isEmpty || contentTimestamp
    }

    var statements: SigningStatements {
        var statements = SigningStatements()
        statements.policy = signaturePolicy
        statements.policyDocument = signaturePolicyFile.map(InputSource.file)
        statements.commitments = commitment
        statements.roles = role
        statements.stampsContent = contentTimestamp
        return statements
    }
}

/// The document of a signature policy, for verification.
struct SignaturePolicyOptions: ParsableArguments {
    @Option(
        "Require the signature policy in this file; the signature must contain the hash",
        value: "file")
    var signaturePolicyFile: String?
}
