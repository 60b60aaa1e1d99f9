internal import Base

/// One `-----BEGIN …-----` block (RFC 7468), its body not yet decoded.
struct PEMBlock {
    let label: String
    /// RFC 1421 headers such as `Proc-Type` and `DEK-Info`, in order.
    let headers: [(name: String, value: String)]
    let body: SecretView

    /// Maximum number of bytes in one block.
    static let bodyLimit = 16_777_216

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The decoded base64 text; white space may be anywhere, padding only at the end.
    func decoded(limit: Int = bodyLimit) throws(CryptoError) -> SecretBytes {
        guard body.count <= limit else {
            throw CryptoError(.limitExceeded, "a PEM block of \(body.count) bytes")
        }
        let output = SecretBytes(zeroedByteCount: body.count / 4 * 3 + 3)
        var written = 0
        let text = unsafe body.buffer.bindMemory(to: UInt8.self).span
        let isWhole = Base64.decode(text, ignoresRest: true) { byte in
            unsafe output.storage[written] = byte
            written += 1
        }
        guard isWhole else {
            throw CryptoError(.unrecognisedFormat, "the PEM block \"\(label)\" is not base64")
        }
        output.truncate(to: written)
        return output
    }
}

/// Finds PEM blocks in a text.
enum PEMReader {
    static let blockLimit = 4096
    private static let lineLimit = 256

    /// All complete blocks, in order; empty when there are none.
    static func blocks(in data: SecretBytes) throws(CryptoError) -> [PEMBlock] {
        let view = SecretView(data)
        var blocks: [PEMBlock] = []
        var position = view.startIndex
        while let begin = boundary("-----BEGIN ", in: view, from: position) {
            guard let end = boundary("-----END ", in: view, from: begin.next) else { break }
            guard begin.label == end.label else {
                throw CryptoError(
                    .unrecognisedFormat,
                    "a PEM block starts with \"\(begin.label)\" and ends with \"\(end.label)\"")
            }
            guard blocks.count < blockLimit else {
                throw CryptoError(.limitExceeded, "more than \(blockLimit) PEM blocks")
            }
            let (headers, body) = split(view[begin.next..<end.start])
            blocks.append(PEMBlock(label: begin.label, headers: headers, body: body))
            position = end.next
        }
        return blocks
    }

    private struct Boundary {
        let label: String
        /// First byte of the boundary, and the first byte after it.
        let start: Int
        let next: Int
    }

    private static func boundary(
        _ marker: StaticString, in view: SecretView, from start: Int
    ) -> Boundary? {
        let pattern = Array("\(marker)".utf8)
        var position = start
        while let hit = find(pattern, in: view, from: position) {
            let labelStart = hit + pattern.count
            let limit = min(view.endIndex, labelStart + 64)
            if let dashes = find(
                [0x2D, 0x2D, 0x2D, 0x2D, 0x2D], in: view[..<limit], from: labelStart)
            {
                let label = view[labelStart..<dashes]
                if label.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x2D }) {
                    return Boundary(
                        label: String(decoding: label, as: UTF8.self), start: hit, next: dashes + 5)
                }
            }
            position = labelStart
        }
        return nil
    }

    private static func find(_ pattern: [UInt8], in view: SecretView, from start: Int) -> Int? {
        guard view.endIndex - start >= pattern.count else { return nil }
        let bytes = unsafe view.owner.buffer
        var position = start
        let last = view.endIndex - pattern.count
        while position <= last {
            if unsafe bytes[position] == pattern[0] {
                var matched = 1
                while matched < pattern.count,
                    unsafe bytes[position + matched] == pattern[matched]
                {
                    matched += 1
                }
                if matched == pattern.count { return position }
            }
            position += 1
        }
        return nil
    }

    /// Separates RFC 1421 headers from the base64 text: lines with a colon, up to a blank line.
    private static func split(
        _ view: SecretView
    ) -> (headers: [(name: String, value: String)], body: SecretView) {
        guard view.prefix(128).contains(0x3A) else { return ([], view) }
        var headers: [(name: String, value: String)] = []
        var position = view.startIndex
        while position < view.endIndex {
            let lineEnd = view[position...].firstIndex(of: 0x0A) ?? view.endIndex
            let line = String(
                decoding: view[position..<min(lineEnd, position + lineLimit)], as: UTF8.self)
            let text = trimmed(line)
            let next = min(lineEnd + 1, view.endIndex)
            if text.isEmpty {
                position = next
                if headers.isEmpty { continue }
                break
            }
            guard let separator = text.firstIndex(of: ":") else { break }
            headers.append(
                (
                    name: trimmed(String(text[..<separator])),
                    value: trimmed(String(text[text.index(after: separator)...]))
                ))
            position = next
        }
        return (headers, view[position...])
    }

    private static func trimmed(_ text: String) -> String {
        var slice = text.unicodeScalars[...]
        while let first = slice.first, first.value <= 0x20 { slice.removeFirst() }
        while let last = slice.last, last.value <= 0x20 { slice.removeLast() }
        return String(String.UnicodeScalarView(slice))
    }
}

/// Reads PEM blocks by label.
package enum PEMText {
    /// The bytes of the one block in `bytes`; nil when there is none. A second block, or another
    /// label than these, is an error.
    package static func single(
        _ bytes: [UInt8], labels: Set<String>, limit: Int
    ) throws(CryptoError) -> [UInt8]? {
        let blocks = try all(bytes, labels: labels, limit: limit)
        guard blocks.count <= 1 else {
            throw CryptoError(.unrecognisedFormat, "\(blocks.count) PEM blocks instead of one")
        }
        return blocks.first
    }

    /// The bytes of every block in `bytes`. A label other than these, or more than `limit` bytes in
    /// total, is an error.
    package static func all(
        _ bytes: [UInt8], labels: Set<String>, limit: Int
    ) throws(CryptoError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var left = limit
        for block in try PEMReader.blocks(in: SecretBytes(copying: bytes)) {
            guard labels.contains(block.label) else {
                throw CryptoError(.unrecognisedFormat, "a PEM block \"\(block.label)\"")
            }
            let decoded = Array(SecretView(try block.decoded(limit: left)))
            left -= decoded.count
            found.append(decoded)
        }
        return found
    }
}

/// Writes PEM with 64 columns (RFC 7468).
package enum PEMWriter {
    /// PEM text of public bytes.
    package static func write(_ label: String, _ der: [UInt8]) -> [UInt8] {
        let text = write(label, secret: SecretBytes(copying: der))
        return Array(SecretView(text))
    }

    static func write(_ label: String, secret der: SecretBytes) -> SecretBytes {
        let head = Array("-----BEGIN \(label)-----\n".utf8)
        let tail = Array("-----END \(label)-----\n".utf8)
        let symbolCount = (der.byteCount + 2) / 3 * 4
        let lineCount = (symbolCount + 63) / 64
        let text = SecretBytes(zeroedByteCount: head.count + symbolCount + lineCount + tail.count)
        var position = 0
        func put(_ byte: UInt8) {
            unsafe text.storage[position] = byte
            position += 1
        }
        head.forEach(put)
        Base64.encode(SecretView(der), lineLength: 64, into: put)
        tail.forEach(put)
        return text
    }
}
