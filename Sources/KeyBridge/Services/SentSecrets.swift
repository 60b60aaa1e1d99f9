internal import Base
import CryptoBridge
internal import Synchronization

/// Recently sent secrets. Responses of the service or of proxies may repeat them, and are quoted in
/// messages.
final class SentSecrets: Sendable {
    private let recent = Mutex<[SecretBytes]>([])

    /// One request has a few; the others are from previous requests.
    private static let countLimit = 16
    /// This many consecutive bytes of a longer secret are treated like the whole secret.
    private static let pieceByteCount = 8
    /// Shorter sequences of letters and digits are not decoded as Base64.
    private static let runByteCount = 4

    func note(_ secret: SecretBytes) {
        recent.withLock { recent in
            recent.removeAll { $0 === secret }
            recent.append(secret)
            recent.removeFirst(max(0, recent.count - Self.countLimit))
        }
    }

    /// Whether a text contains a secret or a part of it: plain, escaped as in JSON or a URL, or in
    /// Base64, alone or after a login name.
    func appear(in text: String) -> Bool {
        let bytes = Array(text.utf8)
        var forms = [bytes, Self.unescaped(bytes), Self.percentDecoded(bytes)]
        let alphabet = bytes.split { !Self.isBase64($0) }
        forms += alphabet.filter { $0.count >= Self.runByteCount }.map(Self.decoded)
        return recent.withLock { recent in
            recent.contains { secret in
                var copy = secret.copyOut()
                defer { SecretBytes.wipe(&copy) }
                return forms.contains { Self.contains($0, secret: copy) }
            }
        }
    }

    private static func contains(_ text: [UInt8], secret: [UInt8]) -> Bool {
        let count = min(secret.count, pieceByteCount)
        guard count > 0, text.count >= count else { return false }
        return (0...(secret.count - count)).contains { start in
            text.firstRange(of: secret[start..<start + count]) != nil
        }
    }

    private static func unescaped(_ text: [UInt8]) -> [UInt8] {
        var plain: [UInt8] = []
        var isEscaped = false
        for byte in text {
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            if !isEscaped { plain.append(byte) }
        }
        return plain
    }

    private static func percentDecoded(_ text: [UInt8]) -> [UInt8] {
        var plain: [UInt8] = []
        var place = 0
        while place < text.count {
            if text[place] == UInt8(ascii: "%"), place + 2 < text.count,
                let byte = Hex.decode(text[place + 1...place + 2])?.first
            {
                plain.append(byte)
                place += 3
            } else {
                plain.append(text[place])
                place += 1
            }
        }
        return plain
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "+/".utf8.contains(byte)
    }

    /// Decodes the complete Base64 groups.
    private static func decoded(_ run: ArraySlice<UInt8>) -> [UInt8] {
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - run.count % 4) % 4)
        return Base64.decode(padding.count == 3 ? Array(run.dropLast()) : run + padding) ?? []
    }
}
