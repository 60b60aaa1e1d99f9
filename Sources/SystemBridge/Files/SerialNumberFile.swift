import Glibc
import Synchronization

/// A file of unique numbers, across crashes, threads and processes.
///
/// It contains the highest number used or reserved, in decimal, and is replaced before any number
/// of a block is used. A crash loses the rest of a block and repeats nothing. A lost file starts
/// again at the current second times 2^32, above all earlier numbers.
package final class SerialNumberFile: Sendable {
    package let path: String
    private let blockSize: Int64
    private let available = Mutex<Range<Int64>>(0..<0)

    private static let byteLimit = 32
    /// Attempts if another process replaces the file between opening and locking.
    private static let retryLimit = 100

    /// - Parameter blockSize: number of numbers reserved with one write to disk.
    package init(path: String, blockSize: Int = 1) {
        self.path = path
        self.blockSize = Int64(max(1, min(blockSize, 1_000_000)))
    }

    /// A unique positive number.
    ///
    /// - Throws: ``FileError``, `.malformed` if the file contains anything but a number.
    package func next() throws(FileError) -> Int64 {
        let result = available.withLock { range -> Result<Int64, FileError> in
            do throws(FileError) {
                if range.isEmpty { range = try reserve() }
            } catch {
                return .failure(error)
            }
            let number = range.lowerBound
            range = (number + 1)..<range.upperBound
            return .success(number)
        }
        return try result.get()
    }

    private func reserve() throws(FileError) -> Range<Int64> {
        for _ in 0..<Self.retryLimit {
            guard let file = FileDescriptor.open(path, flags: O_RDONLY | O_NOCTTY) else {
                guard errno == ENOENT else { throw .reading(path, errno: errno) }
                try create()
                continue
            }
            guard FolderLock.acquire(file, kind: LOCK_EX) else {
                throw .writing(path, errno: errno)
            }
            // The previous holder of the lock has replaced this file.
            guard let opened = file.status(), let named = FileSystem.target(of: path),
                InputFile.Identity(opened) == InputFile.Identity(named)
            else { continue }
            let last = try read(file)
            let (end, overflow) = last.addingReportingOverflow(blockSize + 1)
            guard !overflow else { throw malformed("the serial numbers are exhausted") }
            try write(end - 1, replace: true)
            return last + 1..<end
        }
        throw FileError(.io, path: path, detail: "other programs replace the file")
    }

    private func create() throws(FileError) {
        do {
            try write(Int64(time(nil)) << 32, replace: false)
        } catch {
            // Another process has created the file, which is then used.
            guard error.code == .exists else { throw error }
        }
    }

    private func write(_ number: Int64, replace: Bool) throws(FileError) {
        // Not registered as an output of the run, since the file is replaced repeatedly.
        let output = try AtomicOutput(path: path, mode: .secret, replace: replace, run: nil)
        try output.write(Array("\(number)\n".utf8))
        try output.commit()
    }

    private func read(_ file: FileDescriptor) throws(FileError) -> Int64 {
        var buffer = [UInt8](repeating: 0, count: Self.byteLimit)
        let count = try file.read(into: &buffer, at: 0, of: path)
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        guard text.hasSuffix("\n"), let number = Int64(text.dropLast()), number >= 0 else {
            throw malformed("the file contains no serial number")
        }
        return number
    }

    private func malformed(_ detail: String) -> FileError {
        FileError(.malformed, path: path, detail: detail)
    }
}
