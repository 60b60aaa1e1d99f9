import Base
import CryptoBridge
import KeyBridge

/// Reads a key name at a signing service, a zero byte, and a response of the service.
enum ServiceFuzz {
    static func failure(of bytes: [UInt8]) -> String? {
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
            .map(Array.init)
        if parts.count > 1,
            let uri = try? ServiceURI("csc:" + String(decoding: parts[0], as: UTF8.self))
        {
            guard let again = try? ServiceURI(uri.text), again == uri else {
                return "a name is written differently: \(uri.text)"
            }
        }
        guard let json = try? JSONValue(parsing: parts[parts.count - 1]) else { return nil }
        guard (try? JSONValue(parsing: written(json))) == json else {
            return "an answer is read differently: \(json)"
        }
        for version in [ServiceURI.Version.v1, .v2] {
            guard
                let credential = try? ServiceCredential(
                    json, id: "x", version: version, service: "y")
            else { continue }
            guard (1...64).contains(credential.signaturesAtOnce) else {
                return "\(credential.signaturesAtOnce) signatures at once"
            }
        }
        return nil
    }

    private static func written(_ value: JSONValue) -> [UInt8] {
        switch value {
        case .null: Array("null".utf8)
        case .bool(let truth): Array(String(truth).utf8)
        case .number(let digits): Array(digits.utf8)
        case .string(let text): quoted(text)
        case .array(let values):
            Array("[".utf8) + Array(values.map(written).joined(separator: Array(",".utf8)))
                + Array("]".utf8)
        case .object(let values):
            Array("{".utf8)
                + Array(
                    values.map { quoted($0.key) + Array(" :".utf8) + written($0.value) }
                        .joined(separator: Array(", ".utf8))) + Array("}".utf8)
        }
    }

    private static func quoted(_ text: String) -> [UInt8] {
        Array("\"".utf8) + text.utf16.flatMap { Array("\\u".utf8) + digits($0) } + Array("\"".utf8)
    }

    private static func digits(_ unit: UInt16) -> [UInt8] {
        Hex.digits(of: [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)])
    }
}
