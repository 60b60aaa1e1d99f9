import SystemBridge

/// An input: a file, bytes in memory, or an open file.
public struct InputSource: Sendable {
    private enum Place {
        case path
        case bytes([UInt8])
        case descriptor(Int32)
    }

    private let place: Place
    /// The name in results and messages: a path, or a chosen name.
    public let name: String

    /// - Parameter path: `-` is standard input.
    public static func file(_ path: String) -> InputSource { InputSource(place: .path, name: path) }

    /// Bytes in memory.
    ///
    /// - Parameter name: name in results and messages.
    public static func bytes(_ bytes: [UInt8], name: String = "document") -> InputSource {
        InputSource(place: .bytes(bytes), name: name)
    }

    /// - Parameter descriptor: a file open for reading. It stays open; its position is ignored, and
    ///   unchanged unless it is a pipe.
    public static func openFile(_ descriptor: Int32, name: String = "document") -> InputSource {
        InputSource(place: .descriptor(descriptor), name: name)
    }

    /// Path of the input; nil for memory and open files.
    var path: String? {
        guard case .path = place else { return nil }
        return name
    }

    /// Whether the input is standard input, which can be read only once.
    var isStandardInput: Bool { path == "-" }

    func readAll(limit: Int) throws(FileError) -> [UInt8] {
        guard let path else { return try FileSystem.readAll(try open(), limit: limit) }
        return try FileSystem.readAll(path, limit: limit)
    }

    /// - Parameter isReplaced: whether an output will replace it.
    func open(isReplaced: Bool = false) throws(FileError) -> InputFile {
        switch place {
        case .path: try InputFile(path: name, isReplaced: isReplaced)
        case .bytes(let bytes): try InputFile(bytes: bytes, name: name)
        case .descriptor(let number): try InputFile(descriptor: number, name: name)
        }
    }
}
