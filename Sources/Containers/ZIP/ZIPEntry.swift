internal import Base

/// One entry of a ZIP archive, by its record in the central directory (APPNOTE.TXT §4.3.12).
package struct ZIPEntry: Sendable {
    package enum Method: UInt16, Sendable {
        case stored = 0
        case deflated = 8
    }

    package let name: String
    let method: Method
    let checksum: UInt32
    /// Size of the data in the archive, in bytes.
    package let compressedByteCount: Int
    /// Size of the uncompressed data, in bytes.
    package let byteCount: Int
    let flags: UInt16
    /// Offset of the local header.
    let offset: Int
    /// The record in the central directory.
    let record: [UInt8]
    /// The data in the archive; set once the local header was compared.
    var dataRange = 0..<0
    /// From the local header to the end of the data and its descriptor.
    var localRange = 0..<0
    var hasLocalExtra = false
    let hasComment: Bool
    /// Whether extra fields may give programs another name or kind.
    var hasUnknownExtra: Bool

    package var isFolder: Bool { name.hasSuffix("/") }
    package var isStored: Bool { method == .stored }

    /// General purpose flags (APPNOTE.TXT §4.4.4).
    enum Flag {
        static let descriptor: UInt16 = 1 << 3
        static let unicode: UInt16 = 1 << 11
        /// Flags without an effect on the reading of an entry: options of the compressor.
        static let permitted: UInt16 = 0b110 | descriptor | unicode
    }

    /// Whether file systems keep the name as it is, and programs show all of it (Microsoft, Naming
    /// Files, Paths, and Namespaces).
    package var isPortable: Bool {
        let isUnusual = name.unicodeScalars.contains { scalar in
            "<>:\"|?*".unicodeScalars.contains(scalar)
                || scalar.properties.isDefaultIgnorableCodePoint
                || Self.fullWidth.contains(scalar)
        }
        let isAmbiguous = flags & Flag.unicode == 0 && !name.utf8.allSatisfy { $0 < 0x80 }
        return !isUnusual && !isAmbiguous
            && name.split(separator: "/").allSatisfy { part in
                let stem = part.prefix { $0 != "." }.uppercased()
                return part.last != "." && part.last != " " && !Self.devices.contains(stem)
                    && Self.withoutVersion(part) == part
            }
    }

    /// A name without the version of VMS, such as `;1`, which programs leave out.
    private static func withoutVersion(_ name: Substring) -> Substring {
        guard let mark = name.lastIndex(of: ";"),
            name[mark...].dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return name }
        return name[..<mark]
    }

    /// Forms of ASCII characters that look like them.
    private static let fullWidth: ClosedRange<Unicode.Scalar> = "\u{FF01}"..."\u{FF5E}"
    private static let devices = Set(
        ["CON", "PRN", "AUX", "NUL"] + (1...9).flatMap { ["COM\($0)", "LPT\($0)"] })

    var hasDescriptor: Bool { flags & Flag.descriptor != 0 }

    /// The name without differences of case and Unicode form, by which file systems tell files
    /// apart; `String` compares by canonical equivalence.
    var foldedName: String {
        let folded = name.lowercased().uppercased().lowercased()
        return folded.split(separator: "/").map(Self.withoutVersion).joined(separator: "/")
    }
}

extension ZIPEntry {
    /// Decodes a name, and refuses names that lead elsewhere or that programs write differently.
    static func checkedName(_ bytes: [UInt8]) throws(ContainerError) -> String {
        guard let name = String(validating: bytes, as: UTF8.self) else {
            throw ContainerError(.malformed, "the name of an entry is not UTF-8")
        }
        let shown = name.inQuotes
        guard !bytes.isEmpty, bytes.count <= ContainerLimits.nameByteCount else {
            throw ContainerError(.malformed, "an entry has an empty name, or a very long one")
        }
        let isBad = name.unicodeScalars.contains { scalar in
            scalar.value < 0x20 || scalar.value == 0x7F || scalar == "\\" || scalar.value == 0xFEFF
                || (0x202A...0x202E).contains(scalar.value)
                || (0x2066...0x2069).contains(scalar.value)
        }
        guard !isBad else {
            throw ContainerError(
                .malformed, "the name \(shown) of an entry contains a control character or '\\'")
        }
        var parts = name.split(separator: "/", omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        let isDrive = bytes.count > 1 && bytes[1] == UInt8(ascii: ":")
        guard !isDrive, !parts.isEmpty,
            parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
        else {
            throw ContainerError(
                .malformed, "the name \(shown) of an entry leads out of the folder")
        }
        return name
    }
}

/// Little-endian numbers.
extension Array where Element == UInt8 {
    func number16(_ index: Int) -> UInt16? {
        guard let low = byte(at: index), let high = byte(at: index + 1) else { return nil }
        return UInt16(low) | UInt16(high) << 8
    }

    func number32(_ index: Int) -> UInt32? {
        guard let low = number16(index), let high = number16(index + 2) else { return nil }
        return UInt32(low) | UInt32(high) << 16
    }

    func number64(_ index: Int) -> UInt64? {
        guard let low = number32(index), let high = number32(index + 4) else { return nil }
        return UInt64(low) | UInt64(high) << 32
    }
}
