import Base

/// Finds names in a file, in any spelling and position, in one pass.
struct NameSearch {
    private let source: any ByteSource
    private let names: Set<PDFName>
    /// Length of the longest name with all bytes escaped (`#xx`), and of the adjacent bytes.
    private let reach: Int
    private var chunk: [UInt8] = []
    private var chunkStart = 0
    private var position = 0

    private static let chunkByteCount = 256 * 1024

    init(_ source: any ByteSource, for names: Set<PDFName>) {
        self.source = source
        self.names = names
        reach = 2 + 3 * (names.map(\.bytes.count).max() ?? 0)
    }

    /// The next name and its position; `nil` if there are no more.
    mutating func next() throws(PDFError) -> (PDFName, Int)? {
        while position < source.byteCount {
            if position + reach > chunkStart + chunk.count,
                chunkStart + chunk.count < source.byteCount
            {
                chunkStart = position
                chunk = try reading(source.bytes(at: position, count: Self.chunkByteCount))
            }
            let isLast = chunkStart + chunk.count >= source.byteCount
            let start = position - chunkStart
            let end = isLast ? chunk.count : max(start + 1, chunk.count - reach)
            guard let index = chunk[start..<end].firstIndex(of: 47) else {
                position = chunkStart + end
                continue
            }
            position = chunkStart + index + 1
            let name = name(at: index + 1)
            if names.contains(name) { return (name, chunkStart + index) }
        }
        return nil
    }

    private func name(at start: Int) -> PDFName {
        var bytes: [UInt8] = []
        var index = start
        while index < min(chunk.count, start + reach), Characters.isRegular(Int(chunk[index])) {
            if chunk[index] == 35, let high = digit(index + 1), let low = digit(index + 2) {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(chunk[index])
                index += 1
            }
        }
        return PDFName(bytes: bytes)
    }

    private func digit(_ index: Int) -> UInt8? { chunk.byte(at: index).flatMap(Hex.value(of:)) }
}
