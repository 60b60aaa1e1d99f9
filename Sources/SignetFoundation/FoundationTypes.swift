public import Base
public import FoundationEssentials
public import SignetKit

extension InputSource {
    /// Bytes in memory.
    ///
    /// - Parameter name: name in results and messages.
    public static func data(_ data: Data, name: String = "document") -> InputSource {
        .bytes(Array(data), name: name)
    }

    /// The file at a file URL.
    ///
    /// - Throws: ``SignetError``: `usage` if the URL is not one of a file.
    public static func file(_ url: URL) throws(SignetError) -> InputSource {
        .file(try url.filePath())
    }
}

extension Destination {
    /// The file at a file URL.
    ///
    /// - Throws: ``SignetError``: `usage` if the URL is not one of a file.
    public init(url: URL, replacesExisting: Bool = false) throws(SignetError) {
        self.init(path: try url.filePath(), replacesExisting: replacesExisting)
    }
}

extension OutputBytes {
    /// The complete output; empty before the task has finished, and after a failure.
    public var data: Data { Data(bytes) }
}

extension Moment {
    /// The second that `date` is in, within the years 0 to 9999.
    public init(_ date: Date) {
        let limit = 1e12
        let seconds = date.timeIntervalSince1970.rounded(.down)
        self.init(secondsSinceEpoch: Int(min(max(seconds.isNaN ? 0 : seconds, -limit), limit)))
    }

    /// The same time as a `Date`.
    public var date: Date {
        Date(timeIntervalSince1970: Double(secondsSinceEpoch) + Double(nanoseconds) / 1e9)
    }
}

extension URL {
    fileprivate func filePath() throws(SignetError) -> String {
        guard isFileURL else {
            throw SignetError(.usage, "the URL is not one of a file")
        }
        return path(percentEncoded: false)
    }
}
