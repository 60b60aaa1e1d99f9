internal import Base
internal import CryptoBridge

extension SigningInput {
    func hash(by algorithm: DigestAlgorithm) throws -> [UInt8] {
        switch self {
        case .digest(let digest): digest
        case .message(let message): try algorithm.hash(message)
        }
    }
}

extension PublicKey {
    func verify(
        _ signature: [UInt8], of input: SigningInput, _ scheme: SignatureScheme
    ) throws -> Bool {
        switch input {
        case .message(let message):
            try verify(signature: signature, scheme: scheme, message: message)
        case .digest(let digest): try verify(signature: signature, scheme: scheme, digest: digest)
        }
    }
}
