import Glibc

/// The reason why a file could not be read or written.
package struct FileError: Error, Equatable, Sendable {
    /// What went wrong, for programs.
    package enum Code: Sendable {
        case missing
        /// Permission to read is denied.
        case unreadable
        /// A folder, a device, or a pipe without a writer.
        case notAFile
        /// The output exists and may not be replaced.
        case exists
        /// The folder of the output does not exist.
        case folderMissing
        /// The output cannot be created in its folder.
        case cannotCreate
        /// Two outputs of one run have the same path.
        case doubleOutput
        /// The output would replace a file that the run reads.
        case overInput
        /// The file was changed, replaced or moved while it was in use.
        case changed
        /// Another program holds the lock of the file.
        case busy
        /// The file belongs to another user.
        case foreign
        /// The disk is full, or a quota or size limit is reached.
        case diskFull
        case malformed
        /// The input is larger than permitted.
        case tooLarge
        case pipeClosed
        case cancelled
        /// Any other failure while reading or writing.
        case io
    }

    package let code: Code
    /// The path as it was given.
    package let path: String
    /// The operating system's text, or what was expected.
    package let detail: String

    package init(_ code: Code, path: String, detail: String) {
        self.code = code
        self.path = path
        self.detail = detail
    }

    /// Equality compares only the codes.
    package static func == (left: FileError, right: FileError) -> Bool { left.code == right.code }

    /// The error for a failed read, or for a failed opening for reading.
    static func reading(_ path: String, errno number: Int32) -> FileError {
        let code: Code =
            switch number {
            case ENOENT, ENOTDIR: .missing
            case EACCES, EPERM: .unreadable
            case EISDIR, ENXIO, ENODEV: .notAFile
            default: .io
            }
        return FileError(code, path: path, detail: systemMessage(number))
    }

    /// The error for a failed creation of an output.
    static func creating(_ path: String, errno number: Int32) -> FileError {
        let code: Code =
            switch number {
            case ENOENT, ENOTDIR: .folderMissing
            case EEXIST: .exists
            case ENOSPC, EDQUOT: .diskFull
            default: .cannotCreate
            }
        let detail = code == .folderMissing ? "the folder does not exist" : systemMessage(number)
        return FileError(code, path: path, detail: detail)
    }

    static func writing(_ path: String, errno number: Int32) -> FileError {
        let isFull = number == ENOSPC || number == EDQUOT || number == EFBIG
        let code: Code = number == EPIPE ? .pipeClosed : isFull ? .diskFull : .io
        return FileError(code, path: path, detail: systemMessage(number))
    }

    static func systemMessage(_ number: Int32) -> String {
        let capacity = 256
        var buffer = [CChar](repeating: 0, count: capacity)
        _ = unsafe strerror_r(number, &buffer, capacity)
        let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: text, as: UTF8.self)
    }
}
