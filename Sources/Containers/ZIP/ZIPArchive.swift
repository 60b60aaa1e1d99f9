package import Base
import CodecBridge

/// A ZIP archive that can be read in one way only (APPNOTE.TXT, ISO/IEC 21320-1).
///
/// The entries fill the file from its first byte to the central directory, without gaps and
/// overlaps; local headers agree with the directory. Not supported: ZIP64 sizes, several volumes,
/// encryption, links, methods other than stored and deflate.
package struct ZIPArchive: Sendable {
    private let source: any ByteSource
    package private(set) var entries: [ZIPEntry]
    /// Offset of the central directory, where the data of the entries ends.
    let directoryOffset: Int
    package let comment: [UInt8]
    /// Size of the archive in bytes.
    package var byteCount: Int { source.byteCount }
    private let indexes: [ExactText: Int]

    /// Whether the first bytes of a file are those of a ZIP archive.
    package static func isArchive(head: [UInt8]) -> Bool {
        head.starts(with: [0x50, 0x4B, 3, 4]) || head.starts(with: [0x50, 0x4B, 5, 6])
    }

    /// Reads the directory and all local headers.
    ///
    /// - Throws: ``ContainerError``, or an error of reading.
    package init(_ source: any ByteSource) throws {
        let end = try ZIPDirectory(of: source)
        self.source = source
        comment = end.comment
        directoryOffset = end.offset
        entries = try end.entries(in: source)
        try Self.requireDistinctNames(entries)
        try ZIPLocalHeaders(source, end: end.offset).locate(&entries)
        indexes = Dictionary(
            entries.enumerated().map { (ExactText($1.name), $0) },
            uniquingKeysWith: { first, _ in
                first
            })
    }

    /// The entry with exactly this name; nil if there is none.
    package func entry(_ name: String) -> ZIPEntry? { indexes[ExactText(name)].map { entries[$0] } }

    /// Rejects names that a file system may treat as the same, and files that are also folders.
    private static func requireDistinctNames(_ entries: [ZIPEntry]) throws(ContainerError) {
        var files: Set<String> = []
        var folders: Set<String> = []
        for entry in entries {
            let name = entry.foldedName
            guard entry.isFolder ? folders.insert(name).inserted : files.insert(name).inserted
            else {
                throw ContainerError(
                    .malformed, "two entries have the name \(entry.name.inQuotes)")
            }
        }
        for entry in entries {
            var parts = entry.foldedName.split(separator: "/")
            if !entry.isFolder { parts.removeLast() }
            var folder = ""
            for part in parts {
                folder += folder.isEmpty ? String(part) : "/" + part
                guard !files.contains(folder) else {
                    throw ContainerError(
                        .malformed, "the entry \(folder.inQuotes) is a file and a folder")
                }
            }
        }
    }

    // MARK: Content

    /// Reads the content of an entry part by part. Size and checksum are verified at the end.
    ///
    /// - Throws: ``ContainerError`` if the content is damaged, or an error of `body` or of reading.
    package func stream(_ entry: ZIPEntry, _ body: (Span<UInt8>) throws -> Void) throws {
        var checksum = Checksum32()
        var count = 0
        func receive(_ part: Span<UInt8>) throws {
            count += part.count
            guard count <= entry.byteCount else {
                throw ContainerError(
                    .malformed, "the entry \(entry.name.inQuotes) is larger than declared")
            }
            checksum.update(part)
            try body(part)
        }
        switch entry.method {
        case .stored: try source.stream(range: entry.dataRange, receive)
        case .deflated:
            let inflater = try DeflateStream()
            do {
                try source.stream(range: entry.dataRange) { try inflater.decode($0, receive) }
            } catch let error as CodecError {
                throw ContainerError(
                    .malformed, "the entry \(entry.name.inQuotes) is damaged: \(error.detail)")
            }
            guard inflater.isAtEnd else {
                throw ContainerError(
                    .malformed, "the entry \(entry.name.inQuotes) is damaged: its data ends early")
            }
        }
        guard count == entry.byteCount, checksum.value == entry.checksum else {
            throw ContainerError(
                .malformed,
                "the entry \(entry.name.inQuotes) is damaged: its size or checksum is wrong")
        }
    }

    /// The bytes of all local headers and data, up to the central directory.
    func streamEntries(_ body: (Span<UInt8>) throws -> Void) throws {
        try source.stream(range: 0..<directoryOffset, body)
    }

    func streamLocal(_ entry: ZIPEntry, _ body: (Span<UInt8>) throws -> Void) throws {
        try source.stream(range: entry.localRange, body)
    }

    /// The content of an entry.
    ///
    /// - Throws: ``ContainerError``: `limitExceeded` if it has more than `limit` bytes.
    package func bytes(of entry: ZIPEntry, limit: Int) throws -> [UInt8] {
        guard entry.byteCount <= limit else {
            throw ContainerError(
                .limitExceeded,
                "the entry \(entry.name.inQuotes) has \(entry.byteCount) bytes, at most \(limit) "
                    + "are supported")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entry.byteCount)
        try stream(entry) { part in
            for index in part.indices { bytes.append(part[index]) }
        }
        return bytes
    }
}

/// The end of central directory record (APPNOTE.TXT §4.3.16), and the directory before it.
struct ZIPDirectory {
    let comment: [UInt8]
    let offset: Int
    private let end: Int
    private let count: Int

    private static let endByteCount = 22
    private static let endMark: [UInt8] = [0x50, 0x4B, 5, 6]
    private static let recordByteCount = 46

    init(of source: any ByteSource) throws {
        let tailCount = min(source.byteCount, Self.endByteCount + Int(UInt16.max))
        let start = source.byteCount - tailCount
        let tail = try source.bytes(at: start, count: tailCount)
        // Programs that search in another direction must find the same record.
        var places: [Int] = []
        var next = 0
        while let found = tail.firstRange(of: Self.endMark, from: next) {
            next = found.lowerBound + 1
            if let length = tail.number16(found.lowerBound + 20),
                found.lowerBound + Self.endByteCount + Int(length) == tail.count
            {
                places.append(found.lowerBound)
            }
        }
        guard let place = places.last else {
            throw ContainerError(.notZIP, "the file is not a ZIP archive, or is truncated")
        }
        guard places.count == 1, tail.lastRange(of: Self.endMark)?.lowerBound == place else {
            throw ContainerError(.malformed, "the ZIP archive has more than one end record")
        }
        guard let disk = tail.number16(place + 4), let startDisk = tail.number16(place + 6),
            let diskCount = tail.number16(place + 8), let count = tail.number16(place + 10),
            let size = tail.number32(place + 12), let offset = tail.number32(place + 16)
        else { throw ContainerError(.notZIP, "the end record of the ZIP archive is truncated") }
        guard count != .max, size != .max, offset != .max else {
            throw ContainerError(.unsupported, "ZIP64 archives (over 4 GB) are not supported")
        }
        guard disk == 0, startDisk == 0, diskCount == count else {
            throw ContainerError(.unsupported, "archives of several volumes are not supported")
        }
        guard Int(offset) + Int(size) == start + place else {
            throw ContainerError(
                .malformed, "the central directory does not end at the end record of the archive")
        }
        guard count <= ContainerLimits.entryCount else {
            throw ContainerError(
                .limitExceeded,
                "the archive has \(count) entries, at most \(ContainerLimits.entryCount) are "
                    + "supported")
        }
        comment = Array(tail[(place + Self.endByteCount)...])
        self.offset = Int(offset)
        end = start + place
        self.count = Int(count)
    }

    func entries(in source: any ByteSource) throws -> [ZIPEntry] {
        let limit =
            ContainerLimits.entryCount * (Self.recordByteCount + 4 * ContainerLimits.nameByteCount)
        guard end - offset <= limit else {
            throw ContainerError(.limitExceeded, "the central directory is too large")
        }
        let bytes = try source.bytes(at: offset, count: end - offset)
        var position = 0
        var entries: [ZIPEntry] = []
        while position < bytes.count, entries.count < count {
            let entry = try Self.entry(bytes, &position)
            entries.append(entry)
        }
        guard position == bytes.count, entries.count == count else {
            throw ContainerError(
                .malformed, "the central directory has another number of entries than declared")
        }
        return entries
    }

    private static func entry(
        _ bytes: [UInt8], _ position: inout Int
    ) throws(ContainerError) -> ZIPEntry {
        let start = position
        guard bytes.number32(start) == 0x0201_4B50, let system = bytes.byte(at: start + 5),
            let flags = bytes.number16(start + 8), let method = bytes.number16(start + 10),
            let checksum = bytes.number32(start + 16), let packed = bytes.number32(start + 20),
            let size = bytes.number32(start + 24), let nameCount = bytes.number16(start + 28),
            let extraCount = bytes.number16(start + 30),
            let commentCount = bytes.number16(start + 32), let disk = bytes.number16(start + 34),
            let attributes = bytes.number32(start + 38), let offset = bytes.number32(start + 42)
        else { throw ContainerError(.malformed, "the central directory is damaged") }
        let nameStart = start + recordByteCount
        let extraStart = nameStart + Int(nameCount)
        position = extraStart + Int(extraCount) + Int(commentCount)
        guard position <= bytes.count else {
            throw ContainerError(.malformed, "the central directory is truncated")
        }
        let name = try ZIPEntry.checkedName(Array(bytes[nameStart..<extraStart]))
        let shown = name.inQuotes
        let extra = Array(bytes[extraStart..<(extraStart + Int(extraCount))])
        var sizes = ZIPExtra.Sizes(Int(size), Int(packed), Int(offset))
        if packed == .max || size == .max || offset == .max {
            sizes = try ZIPExtra.sizes(extra, sizes, name: shown)
        }
        guard flags & ~ZIPEntry.Flag.permitted == 0 else {
            throw ContainerError(
                .unsupported,
                flags & 1 != 0
                    ? "the entry \(shown) is encrypted" : "the entry \(shown) has unusual flags")
        }
        guard let known = ZIPEntry.Method(rawValue: method), disk == 0 else {
            throw ContainerError(.unsupported, "the entry \(shown) uses method \(method)")
        }
        try checkKind(name, system: system, attributes: attributes)
        let hasUnknownExtra = try ZIPExtra.check(
            extra, name: shown, sizes: (sizes.byteCount, sizes.packed), isLocal: false)
        let entry = ZIPEntry(
            name: name, method: known, checksum: checksum, compressedByteCount: sizes.packed,
            byteCount: sizes.byteCount, flags: flags, offset: sizes.offset,
            record: Array(bytes[start..<position]), hasComment: commentCount > 0,
            hasUnknownExtra: hasUnknownExtra)
        try check(entry)
        return entry
    }

    /// FAT, Unix, NTFS (two numbers), VFAT and macOS (APPNOTE.TXT §4.4.2.2). Programs change the names
    /// of others, such as VMS.
    private static let systems: Set<UInt8> = [0, 3, 10, 11, 14, 19]
    /// The attributes of a folder and of a volume label in FAT.
    private static let folderAttribute: UInt32 = 0x10
    private static let labelAttribute: UInt32 = 0x08

    /// Refuses links and devices (Unix modes in the upper half of the attributes), files that are
    /// folders by their attributes, and volume labels.
    private static func checkKind(
        _ name: String, system: UInt8, attributes: UInt32
    ) throws(ContainerError) {
        let type = attributes >> 16 & 0o170000
        let isFolder = type == 0o040000 || attributes & folderAttribute != 0
        guard systems.contains(system) else {
            throw ContainerError(
                .unsupported,
                "the entry \(name.inQuotes) is for an operating system with other names")
        }
        guard type == 0 || isFolder || type == 0o100000 || system == 0 && type != 0o120000,
            !isFolder || name.hasSuffix("/"), attributes & labelAttribute == 0
        else {
            throw ContainerError(
                .unsupported, "the entry \(name.inQuotes) is not an ordinary file by its attributes"
            )
        }
    }

    private static func check(_ entry: ZIPEntry) throws(ContainerError) {
        let shown = entry.name.inQuotes
        if entry.isFolder, entry.byteCount != 0 {
            throw ContainerError(.malformed, "the folder \(shown) has content")
        }
        if entry.isStored, entry.byteCount != entry.compressedByteCount || entry.hasDescriptor {
            throw ContainerError(.malformed, "the stored entry \(shown) has two sizes")
        }
        let most = max(
            ContainerLimits.freeByteCount, entry.compressedByteCount * ContainerLimits.expansion)
        guard entry.byteCount <= most else {
            throw ContainerError(
                .limitExceeded,
                "the entry \(shown) expands to over \(ContainerLimits.expansion) times its size")
        }
    }
}

/// Extra fields (APPNOTE.TXT §4.5), of which some give a second reading of an entry.
enum ZIPExtra {
    private static let zip64: UInt16 = 0x0001
    /// Info-ZIP Unicode path and comment, and strong encryption.
    private static let refused: Set<UInt16> = [0x7075, 0x6375, 0x0017, 0x9901]
    /// Times, owners, padding and marks of programs, without another name or kind.
    private static let harmless: Set<UInt16> = [
        zip64, 0x000A, 0x5455, 0x5855, 0x7855, 0x7875, 0xCAFE, 0xD935, 0xA220,
    ]

    /// Uncompressed and compressed size, and offset of the local header.
    struct Sizes {
        var byteCount: Int
        var packed: Int
        var offset: Int

        init(_ byteCount: Int, _ packed: Int, _ offset: Int) {
            (self.byteCount, self.packed, self.offset) = (byteCount, packed, offset)
        }
    }

    /// The sizes in a ZIP64 field at the beginning (APPNOTE.TXT §4.5.3), which some programs write
    /// for small entries. Sizes over 4 GB are refused.
    static func sizes(
        _ bytes: [UInt8], _ written: Sizes, name: String
    ) throws(ContainerError) -> Sizes {
        var result = written
        var position = 4
        func next(_ value: Int) -> Int? {
            guard value == Int(UInt32.max) else { return value }
            defer { position += 8 }
            return bytes.number64(position).flatMap { UInt32(exactly: $0) }
                .flatMap { $0 == .max ? nil : Int($0) }
        }
        guard bytes.number16(0) == zip64, let count = bytes.number16(2),
            let size = next(written.byteCount), let packed = next(written.packed),
            let offset = next(written.offset), position == 4 + Int(count)
        else {
            throw ContainerError(.unsupported, "entries over 4 GB (\(name)) are not supported")
        }
        (result.byteCount, result.packed, result.offset) = (size, packed, offset)
        return result
    }

    /// - Parameter sizes: uncompressed and compressed. A ZIP64 field must repeat them.
    /// - Returns: whether there are fields of unknown meaning.
    static func check(
        _ bytes: [UInt8], name: String, sizes: (Int, Int), isLocal: Bool
    ) throws(ContainerError) -> Bool {
        var position = 0
        var hasUnknown = false
        while let identifier = bytes.number16(position), let count = bytes.number16(position + 2) {
            let end = position + 4 + Int(count)
            guard end <= bytes.count else { break }
            guard !refused.contains(identifier) else {
                throw ContainerError(
                    .malformed, "the entry \(name) has a second name or is encrypted")
            }
            hasUnknown = hasUnknown || !harmless.contains(identifier)
            if identifier == zip64 {
                // Some programs write the field although the sizes are small, others only one size.
                let first = bytes.number64(position + 4)
                let second = bytes.number64(position + 12)
                let isSame =
                    count >= 8 && (first == UInt64(sizes.0) || first == UInt64(sizes.1))
                    && (count < 16 || second == UInt64(sizes.1))
                let isZero = isLocal && count >= 16 && first == 0 && second == 0
                guard isSame || isZero || count == 0 else {
                    throw ContainerError(.malformed, "the entry \(name) has two sizes")
                }
            }
            position = end
        }
        // Padding of less than a header is harmless (zipalign).
        guard bytes.count - position < 4 else {
            throw ContainerError(.malformed, "the extra field of the entry \(name) is damaged")
        }
        return hasUnknown
    }
}

/// Compares local headers with the central directory (APPNOTE.TXT §4.3.7).
struct ZIPLocalHeaders {
    private let source: any ByteSource
    private let end: Int
    private static let headerByteCount = 30

    init(_ source: any ByteSource, end: Int) {
        self.source = source
        self.end = end
    }

    /// Sets the ranges of all entries, which must fill the file up to the central directory.
    func locate(_ entries: inout [ZIPEntry]) throws {
        var position = 0
        for index in entries.indices.sorted(by: { entries[$0].offset < entries[$1].offset }) {
            let shown = entries[index].name.inQuotes
            guard entries[index].offset == position else {
                throw ContainerError(
                    .malformed,
                    "the entry \(shown) overlaps another one, or bytes before it belong to none")
            }
            try locate(&entries[index])
            position = entries[index].localRange.upperBound
        }
        guard position == end else {
            throw ContainerError(
                .malformed, "bytes before the central directory belong to no entry")
        }
    }

    private func locate(_ entry: inout ZIPEntry) throws {
        let shown = entry.name.inQuotes
        let fixed = try source.bytes(at: entry.offset, count: Self.headerByteCount)
        guard fixed.number32(0) == 0x0403_4B50, let flags = fixed.number16(6),
            let method = fixed.number16(8), let checksum = fixed.number32(14),
            let packed = fixed.number32(18), let size = fixed.number32(22),
            let nameCount = fixed.number16(26), let extraCount = fixed.number16(28)
        else {
            throw ContainerError(.malformed, "the entry \(shown) has no local header at its offset")
        }
        let nameStart = entry.offset + Self.headerByteCount
        let dataStart = nameStart + Int(nameCount) + Int(extraCount)
        let dataEnd = dataStart + entry.compressedByteCount
        guard dataEnd <= end else {
            throw ContainerError(.malformed, "the entry \(shown) overlaps the central directory")
        }
        let rest = try source.bytes(at: nameStart, count: Int(nameCount) + Int(extraCount))
        let isName = Array(rest.prefix(Int(nameCount))) == Array(entry.name.utf8)
        let isDeclared =
            checksum == entry.checksum && packed == entry.compressedByteCount
            && size == entry.byteCount
        // Each value stands here, or only in the descriptor.
        let isLater =
            entry.hasDescriptor && [0, entry.checksum].contains(checksum)
            && [0, .max, UInt32(entry.compressedByteCount)].contains(packed)
            && [0, .max, UInt32(entry.byteCount)].contains(size)
        // .NET writes the sizes only into the ZIP64 field.
        let isZIP64 =
            checksum == entry.checksum && packed == .max && size == .max && extraCount >= 20
        guard isName, flags == entry.flags, method == entry.method.rawValue,
            isDeclared || isLater || isZIP64
        else {
            throw ContainerError(
                .malformed,
                "the local header of the entry \(shown) contradicts the central directory")
        }
        let isUnknown = try ZIPExtra.check(
            Array(rest.dropFirst(Int(nameCount))), name: shown,
            sizes: (entry.byteCount, entry.compressedByteCount), isLocal: true)
        entry.hasLocalExtra = extraCount > 0
        entry.hasUnknownExtra = entry.hasUnknownExtra || isUnknown
        entry.dataRange = dataStart..<dataEnd
        entry.localRange = entry.offset..<(try dataEnd + descriptorByteCount(of: entry, dataEnd))
    }

    /// Length of the data descriptor after the data (APPNOTE.TXT §4.3.9), which must repeat
    /// checksum and sizes.
    private func descriptorByteCount(of entry: ZIPEntry, _ dataEnd: Int) throws -> Int {
        guard entry.hasDescriptor else { return 0 }
        let bytes = try source.bytes(at: dataEnd, count: min(24, end - dataEnd))
        let start = bytes.number32(0) == 0x0807_4B50 ? 4 : 0
        guard bytes.number32(start) == entry.checksum else {
            throw ContainerError(
                .malformed, "the data descriptor of \(entry.name.inQuotes) is wrong")
        }
        if bytes.number32(start + 4) == UInt32(entry.compressedByteCount),
            bytes.number32(start + 8) == UInt32(entry.byteCount)
        {
            return start + 12
        }
        guard bytes.number64(start + 4) == UInt64(entry.compressedByteCount),
            bytes.number64(start + 12) == UInt64(entry.byteCount)
        else {
            throw ContainerError(
                .malformed, "the data descriptor of \(entry.name.inQuotes) is wrong")
        }
        return start + 20
    }
}
