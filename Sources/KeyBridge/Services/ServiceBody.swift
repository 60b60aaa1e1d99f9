internal import Base
import CryptoBridge

/// A JSON object for a request, built without a JSON encoder, which would leave copies of secrets
/// in memory.
struct ServiceBody: ~Copyable {
    private var bytes: [UInt8] = []
    /// Large enough that the buffer is never reallocated.
    private static let capacity = 1 << 16

    init() {
        bytes.reserveCapacity(Self.capacity)
        bytes.append(UInt8(ascii: "{"))
    }

    /// The complete object, which the caller wipes.
    consuming func take() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    mutating func add(_ name: String, _ value: String) {
        key(name)
        quote(value.utf8)
    }

    /// A number or a truth value.
    mutating func add(_ name: String, _ value: some LosslessStringConvertible) {
        key(name)
        bytes += String(value).utf8
    }

    mutating func add(_ name: String, _ values: [String]) {
        key(name)
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            quote(value.utf8)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func add(_ name: String, _ secret: SecretBytes) {
        key(name)
        quote(secret)
    }

    /// Secrets with their names in version 2 of the API: `[{"id": …, "value": …}]`.
    mutating func add(_ name: String, _ secrets: [(id: String, value: SecretBytes)]) {
        key(name)
        bytes.append(UInt8(ascii: "["))
        for (index, secret) in secrets.enumerated() {
            bytes += (index > 0 ? ",{\"id\":" : "{\"id\":").utf8
            quote(secret.id.utf8)
            bytes += ",\"value\":".utf8
            quote(secret.value)
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// A list of objects that contain texts.
    mutating func add(_ name: String, objects: [[(name: String, value: String)]]) {
        key(name)
        for (index, object) in objects.enumerated() {
            bytes.append(index == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
            for (place, member) in object.enumerated() {
                bytes.append(place == 0 ? UInt8(ascii: "{") : UInt8(ascii: ","))
                quote(member.name.utf8)
                bytes.append(UInt8(ascii: ":"))
                quote(member.value.utf8)
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func key(_ name: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        quote(name.utf8)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func quote(_ secret: SecretBytes) {
        var copy = secret.copyOut()
        quote(copy)
        SecretBytes.wipe(&copy)
    }

    private mutating func quote(_ text: some Sequence<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes += "\\u00".utf8
                bytes += Hex.digits(of: [byte])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// A form for the token endpoint (RFC 6749 Appendix B), built like a ``ServiceBody``.
struct ServiceForm: ~Copyable {
    private var bytes: [UInt8] = []
    private static let capacity = 1 << 16

    init(_ grant: String) {
        bytes.reserveCapacity(Self.capacity)
        add("grant_type", grant)
    }

    /// The complete form, which the caller wipes.
    consuming func take() -> [UInt8] { bytes }

    mutating func add(_ name: String, _ value: String) { add(name, bytes: value.utf8) }

    mutating func add(_ name: String, _ secret: SecretBytes) {
        var copy = secret.copyOut()
        add(name, bytes: copy)
        SecretBytes.wipe(&copy)
    }

    private mutating func add(_ name: String, bytes value: some Sequence<UInt8>) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        bytes += name.utf8
        bytes.append(UInt8(ascii: "="))
        Self.encode(value, to: &bytes)
    }

    /// A secret as in a form.
    static func encoded(_ secret: SecretBytes) -> SecretBytes {
        var copy = secret.copyOut()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * copy.count)
        encode(copy, to: &bytes)
        SecretBytes.wipe(&copy)
        return SecretBytes(consuming: &bytes)
    }

    private static func encode(_ value: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        for byte in value {
            if PercentEncoding.isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes += Hex.digits(of: [byte])
            }
        }
    }
}
