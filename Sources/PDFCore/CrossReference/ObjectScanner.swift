import Base

/// Finds possible starts of objects and trailers in one pass over a file.
struct ObjectScanner {
    enum Hit: Equatable {
        /// `n g obj` begins here.
        case object(Int)
        /// A trailer dictionary follows here.
        case trailer(Int)
    }

    /// The longest text before `obj`: ten digits, five digits, some white space.
    private static let reach = 64
    private static let chunkByteCount = 256 * 1024

    private let source: any ByteSource
    private var chunk: [UInt8] = []
    private var chunkStart = 0
    /// Position at which the search continues.
    private var position: Int

    init(_ source: any ByteSource, from position: Int) {
        self.source = source
        self.position = position
    }

    /// The next hit; `nil` at the end of the file.
    mutating func next() throws(PDFError) -> Hit? {
        while position < source.byteCount {
            try fill()
            var index = position - chunkStart
            // The end of a chunk is searched again at the start of the next chunk.
            let isLast = chunkStart + chunk.count >= source.byteCount
            let stop = isLast ? chunk.count : chunk.count - 8
            while index < stop {
                let byte = chunk[index]
                if byte == 111, chunk.contains(Keyword.Spelling.obj, at: index),
                    let start = objectStart(before: index)
                {
                    position = chunkStart + index + 3
                    return .object(chunkStart + start)
                }
                if byte == 116, chunk.contains(Keyword.Spelling.trailer, at: index) {
                    position = chunkStart + index + Keyword.Spelling.trailer.count
                    return .trailer(position)
                }
                index += 1
            }
            position = chunkStart + max(index, position - chunkStart + 1)
        }
        return nil
    }

    /// Loads the chunk that contains `position` and the ``reach`` bytes before it.
    private mutating func fill() throws(PDFError) {
        let isInside = position >= chunkStart && position < chunkStart + chunk.count - 8
        let isAtEnd = chunkStart + chunk.count >= source.byteCount && position >= chunkStart
        guard chunk.isEmpty || !(isInside || isAtEnd) else { return }
        chunkStart = max(0, position - Self.reach)
        chunk = try reading(source.bytes(at: chunkStart, count: Self.chunkByteCount))
    }

    /// Index of the first of the two numbers before `obj`; `nil` if there are none.
    private func objectStart(before index: Int) -> Int? {
        if let after = chunk.byte(at: index + 3), Characters.isRegular(Int(after)) { return nil }
        var cursor = index
        guard let generation = number(endingBefore: &cursor, digitLimit: 5), generation <= 65_535,
            let number = number(endingBefore: &cursor, digitLimit: 10), number > 0,
            number <= PDFLimits.objectNumber
        else { return nil }
        if cursor > 0, Characters.isRegular(Int(chunk[cursor - 1])) { return nil }
        return cursor
    }

    /// Steps back over at least one white-space byte and over digits.
    private func number(endingBefore cursor: inout Int, digitLimit: Int) -> Int? {
        let end = cursor
        while cursor > 0, Characters.isWhiteSpace(Int(chunk[cursor - 1])) { cursor -= 1 }
        guard cursor < end else { return nil }
        let digitsEnd = cursor
        while cursor > 0, digitsEnd - cursor < digitLimit,
            Characters.isDigit(Int(chunk[cursor - 1]))
        { cursor -= 1 }
        var value = 0
        for position in cursor..<digitsEnd { value = value * 10 + Int(chunk[position] - 48) }
        return cursor < digitsEnd ? value : nil
    }
}
