import SystemBridge

/// What a task reads: a file, bytes in memory, or a file that is open already.
public struct InputSource: Sendable {
    private enum Place {
        case path
        case bytes([UInt8])
        case descriptor(Int32)
    }

    private let place: Place
    /// What results and messages call it: a path, or a name of your own.
    public let name: String

    /// - Parameter path: `-` is standard input.
    public static func file(_ path: String) -> InputSource {
        InputSource(place: .path, name: path)
    }

    /// Bytes in memory.
    ///
    /// - Parameter name: what results and messages call them.
    public static func bytes(_ bytes: [UInt8], name: String = "document") -> InputSource {
        InputSource(place: .bytes(bytes), name: name)
    }

    /// - Parameter descriptor: of a file open for reading. It stays open; its position does not
    ///   count, and is left alone unless it is a pipe.
    public static func openFile(_ descriptor: Int32, name: String = "document") -> InputSource {
        InputSource(place: .descriptor(descriptor), name: name)
    }

    /// Nil for what has no name in a file system.
    var path: String? {
        guard case .path = place else { return nil }
        return name
    }

    /// What can be read once only.
    var isStandardInput: Bool { path == "-" }

    func readAll(limit: Int) throws(FileError) -> [UInt8] {
        guard let path else { return try FileSystem.readAll(try open(), limit: limit) }
        return try FileSystem.readAll(path, limit: limit)
    }

    /// - Parameter isReplaced: an output is to take its place.
    func open(isReplaced: Bool = false) throws(FileError) -> InputFile {
        switch place {
        case .path: try InputFile(path: name, isReplaced: isReplaced)
        case .bytes(let bytes): try InputFile(bytes: bytes, name: name)
        case .descriptor(let number): try InputFile(descriptor: number, name: name)
        }
    }
}
