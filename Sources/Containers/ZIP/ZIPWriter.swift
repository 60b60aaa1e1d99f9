package import Base
import CodecBridge

/// Writes a ZIP archive: entries of another archive byte for byte, and new stored entries.
package struct ZIPWriter: ~Copyable {
    private let write: (Span<UInt8>) throws -> Void
    private var position = 0
    private var directory: [UInt8] = []
    private var count = 0

    /// The Unicode flag, so that every program reads names as UTF-8.
    private static let flags = ZIPEntry.Flag.unicode
    /// Version 2.0 (APPNOTE.TXT §4.4.3).
    private static let version: UInt16 = 20
    /// 1980-01-01, so that equal content gives equal bytes.
    private static let date: UInt16 = 0x21

    /// - Parameter write: receives the bytes of the archive in sequence.
    package init(_ write: @escaping (Span<UInt8>) throws -> Void) { self.write = write }

    private mutating func put(_ bytes: [UInt8]) throws {
        try write(bytes.span)
        position += bytes.count
    }

    /// Copies all entries of an archive without a change. Must be called before entries are added.
    package mutating func copy(_ archive: ZIPArchive) throws {
        try archive.streamEntries(write)
        position = archive.directoryOffset
        for entry in archive.entries { directory += entry.record }
        count = archive.entries.count
    }

    /// Copies the entries of an archive byte for byte, without some of them. Must be called before
    /// entries are added.
    package mutating func copy(_ archive: ZIPArchive, omitting names: [String]) throws {
        let omitted = Set(names.map { ExactText($0) })
        let kept = archive.entries.filter { !omitted.contains(ExactText($0.name)) }
        var offsets: [Int: Int] = [:]
        for entry in kept.sorted(by: { $0.offset < $1.offset }) {
            offsets[entry.offset] = position
            try archive.streamLocal(entry, write)
            position += entry.localRange.count
        }
        for entry in kept {
            // The offset of the local header (APPNOTE.TXT §4.3.12).
            var offset: [UInt8] = []
            offset.append(long: UInt32(offsets[entry.offset] ?? 0))
            directory += entry.record[..<42] + offset + entry.record[46...]
        }
        count = kept.count
    }

    package mutating func add(_ name: String, _ content: [UInt8]) throws {
        var checksum = Checksum32()
        checksum.update(content.span)
        try begin(name, checksum.value, content.count)
        try put(content)
    }

    /// Adds a file that is read twice, for its checksum and for its content.
    ///
    /// - Parameter alongside: receives the written content.
    package mutating func add(
        _ name: String, _ content: any ByteSource,
        alongside: (Span<UInt8>) throws -> Void = { _ in }
    ) throws {
        var checksum = Checksum32()
        try content.stream(range: 0..<content.byteCount) { checksum.update($0) }
        try begin(name, checksum.value, content.byteCount)
        var copied = Checksum32()
        try content.stream(range: 0..<content.byteCount) {
            copied.update($0)
            try write($0)
            try alongside($0)
        }
        position += content.byteCount
        guard copied.value == checksum.value else {
            throw ContainerError(.malformed, "the file \(name.inQuotes) changed while it was read")
        }
    }

    private mutating func begin(_ name: String, _ checksum: UInt32, _ size: Int) throws {
        let name = Array(name.utf8)
        _ = try ZIPEntry.checkedName(name)
        guard size < Int(UInt32.max), position < Int(UInt32.max), count < Int(UInt16.max) - 1 else {
            throw ContainerError(.limitExceeded, "containers over 4 GB are not supported")
        }
        let offset = UInt32(position)
        var common: [UInt8] = []
        common.append(short: Self.version)
        common.append(short: Self.flags)
        common.append(short: ZIPEntry.Method.stored.rawValue)
        common.append(short: 0)
        common.append(short: Self.date)
        common.append(long: checksum)
        common.append(long: UInt32(size))
        common.append(long: UInt32(size))
        common.append(short: UInt16(name.count))
        common.append(short: 0)
        var local: [UInt8] = []
        local.append(long: 0x0403_4B50)
        try put(local + common + name)
        directory.append(long: 0x0201_4B50)
        directory.append(short: Self.version)
        directory += common
        directory.append(short: 0)
        directory.append(short: 0)
        directory.append(short: 0)
        directory.append(long: 0)
        directory.append(long: offset)
        directory += name
        count += 1
    }

    package mutating func finish(comment: [UInt8] = []) throws {
        let (offset, size) = (position, directory.count)
        guard offset + size < Int(UInt32.max) else {
            throw ContainerError(.limitExceeded, "containers over 4 GB are not supported")
        }
        var end: [UInt8] = []
        end.append(long: 0x0605_4B50)
        end.append(long: 0)
        end.append(short: UInt16(count))
        end.append(short: UInt16(count))
        end.append(long: UInt32(size))
        end.append(long: UInt32(offset))
        end.append(short: UInt16(comment.count))
        try put(directory + end + comment)
    }
}

extension Array where Element == UInt8 {
    fileprivate mutating func append(short number: UInt16) {
        append(UInt8(truncatingIfNeeded: number))
        append(UInt8(truncatingIfNeeded: number >> 8))
    }

    fileprivate mutating func append(long number: UInt32) {
        append(short: UInt16(truncatingIfNeeded: number))
        append(short: UInt16(truncatingIfNeeded: number >> 16))
    }
}
