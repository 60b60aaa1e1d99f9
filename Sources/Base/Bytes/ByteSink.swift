/// Receives bytes in parts.
package protocol ByteSink: AnyObject {
    func append(_ bytes: [UInt8]) throws
}

/// A sink that can remove or replace appended bytes, for output that turns out to be wrong.
package protocol RevocableSink: ByteSink {
    /// Drops all but the first `count` bytes; later bytes are appended there.
    func truncate(to count: Int) throws
    /// Replaces bytes that were appended before.
    func replace(at offset: Int, with bytes: [UInt8]) throws
}

/// Keeps the bytes in memory, in parts as they were appended.
package final class MemorySink: RevocableSink {
    package private(set) var parts: [[UInt8]] = []
    package private(set) var byteCount = 0

    package init() {}

    package func append(_ bytes: [UInt8]) {
        parts.append(bytes)
        byteCount += bytes.count
    }

    package func truncate(to count: Int) {
        while byteCount > max(0, count), let last = parts.popLast() {
            byteCount -= last.count
            guard byteCount < count else { continue }
            append(Array(last.prefix(count - byteCount)))
            return
        }
    }

    package func replace(at offset: Int, with bytes: [UInt8]) {
        var start = 0
        for index in parts.indices {
            let end = start + parts[index].count
            for position in max(start, offset)..<max(start, offset, min(end, offset + bytes.count))
            where position < end { parts[index][position - start] = bytes[position - offset] }
            start = end
        }
    }

    package var bytes: [UInt8] { Array(parts.joined()) }
}

/// Counts the bytes, and passes them on or forgets them.
package final class CountingSink: RevocableSink {
    private let sink: (any ByteSink)?
    package private(set) var byteCount = 0

    /// - Parameter sink: gets the bytes, which cannot be removed from it; nil to count them only.
    package init(_ sink: (any ByteSink)? = nil) { self.sink = sink }

    package func append(_ bytes: [UInt8]) throws {
        try sink?.append(bytes)
        byteCount += bytes.count
    }

    package func truncate(to count: Int) { byteCount = min(byteCount, max(0, count)) }
    package func replace(at offset: Int, with bytes: [UInt8]) {}
}
