package import Base
import CryptoBridge

/// A cached response in a file: a few header lines, then the bytes.
package struct KeptAnswer: Sendable {
    /// The URL of the request, since file names may be equal.
    package let address: String
    package let keeping: HTTPKeeping
    /// When the data was issued; if unknown, when it was received.
    package let said: CalendarTime
    /// Until when it is fresh.
    package let until: CalendarTime
    package let body: [UInt8]

    package init(
        address: String, keeping: HTTPKeeping = HTTPKeeping(), said: CalendarTime,
        until: CalendarTime, body: [UInt8]
    ) {
        self.address = address
        self.keeping = keeping
        self.said = said
        self.until = until
        self.body = body
    }

    private static let mark = "signet evidence 1"
    private static let lineCount = 8
    private static let lineByteLimit = 4096

    /// The lines before the body: magic, URL, ETag, date, time of issue, expiry, the body's hash,
    /// and an empty line. Nil if a value contains line ends.
    package var head: [UInt8]? {
        guard let hash = try? DigestAlgorithm.sha256.hash(body) else { return nil }
        let lines = [
            Self.mark, address, keeping.entityTag, keeping.lastModified, said.rfc3339,
            until.rfc3339, Hex.encode(hash), "",
        ]
        guard !lines.contains(where: { $0.utf8.contains { $0 < 0x20 } }) else { return nil }
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }

    /// - Parameter isWhole: whether the bytes are the complete file.
    package init?(_ bytes: [UInt8], isWhole: Bool = true) {
        var lines: [String] = []
        var start = 0
        while lines.count < Self.lineCount {
            let rest = bytes[start...].prefix(Self.lineByteLimit)
            guard let end = rest.firstIndex(of: 0x0A), rest[..<end].allSatisfy({ $0 >= 0x20 })
            else { return nil }
            lines.append(String(decoding: bytes[start..<end], as: UTF8.self))
            start = end + 1
        }
        let body = Array(bytes[start...])
        guard lines[0] == Self.mark, lines[7].isEmpty,
            !isWhole || Hex.decode(lines[6].utf8) == (try? DigestAlgorithm.sha256.hash(body)),
            let said = CalendarTime(rfc3339: lines[4]), let until = CalendarTime(rfc3339: lines[5])
        else { return nil }
        self.init(
            address: lines[1],
            keeping: HTTPKeeping(entityTag: lines[2], lastModified: lines[3]), said: said,
            until: until, body: body)
    }
}
