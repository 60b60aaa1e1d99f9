import FileBridge

/// An output that was there before, and that nobody makes anew.
public enum ExistingOutput {
    /// Why an existing file cannot be what signing the input makes.
    public enum Doubt: Sendable, Equatable {
        case unreadable
        /// What is signed is appended: it begins with the input.
        case otherBeginning
        /// Nothing behind the input is a signature.
        case unsigned
    }

    private static let chunkByteCount = 256 * 1024
    /// What only a signature in a PDF has (ISO 32000-2 Table 255).
    private static let mark = Array("/ByteRange".utf8)

    /// What speaks against an existing file; nil where nothing does, and for input that is no PDF.
    ///
    /// Who verifies it is not asked.
    public static func doubt(about output: String, of input: String) -> Doubt? {
        guard input != "-", (try? FileKind.of(.file(input))) == .pdf else { return nil }
        guard let made = try? InputFile(outputOf: output), let given = try? InputFile(path: input)
        else { return .unreadable }
        do {
            guard try begins(made, with: given) else { return .otherBeginning }
            return try hasSignature(made, from: given.byteCount) ? nil : .unsigned
        } catch {
            return .unreadable
        }
    }

    private static func begins(_ made: InputFile, with given: InputFile) throws -> Bool {
        guard made.byteCount >= given.byteCount else { return false }
        for offset in stride(from: 0, to: given.byteCount, by: chunkByteCount) {
            let count = min(chunkByteCount, given.byteCount - offset)
            let bytes = try given.bytes(at: offset, count: count)
            guard try bytes == made.bytes(at: offset, count: count) else { return false }
        }
        return true
    }

    private static func hasSignature(_ made: InputFile, from start: Int) throws -> Bool {
        for offset in stride(from: start, to: made.byteCount, by: chunkByteCount) {
            let bytes = try made.bytes(at: offset, count: chunkByteCount + mark.count)
            if bytes.firstRange(of: mark) != nil { return true }
        }
        return false
    }
}
