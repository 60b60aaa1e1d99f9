import Base
import SystemBridge
import TrustKit

/// A folder with lists in files with any names.
struct TrustListFolder: TrustListSource {
    private struct File: Sendable {
        let path: String
        let hint: TrustListHint
    }

    /// Files with lists, highest sequence number first.
    private let files: [File]

    init(_ path: String) throws {
        files = try reading(path) { try FileSystem.list(path) }.compactMap { name -> File? in
            let file = "\(path)/\(name)"
            guard FileSystem.isRegularFile(file), let input = try? InputFile(path: file),
                let start = try? input.bytes(
                    at: 0, count: min(TrustListHint.byteCount, input.byteCount)),
                let hint = TrustListHint(start)
            else { return nil }
            return File(path: file, hint: hint)
        }.sorted { ($0.hint.sequence, $0.path) > ($1.hint.sequence, $1.path) }
        guard !files.isEmpty else {
            throw SignetError(
                .malformedInput, file: path, "the folder contains no trusted list",
                hint: Sentence(.giveListFolder))
        }
    }

    func documents(of territory: String) -> [String] {
        files.filter { $0.hint.territory == territory }.map(\.path)
    }

    /// Finds an earlier list of lists by its file name, or by the sequence number in its location.
    func pivot(at location: String) throws(TrustListError) -> [UInt8]? {
        let name = location.split(separator: "/").last ?? ""
        let digits = name.split(whereSeparator: { !$0.isASCII || !$0.isNumber }).last ?? ""
        let found =
            files.first { $0.path.hasSuffix("/\(name)") }
            ?? files.first {
                $0.hint.territory == ListAuthority.europeanTerritory
                    && $0.hint.sequence == Int(digits)
            }
        guard let found else { return nil }
        return try read(found.path)
    }

    func read(_ path: String) throws(TrustListError) -> [UInt8] {
        try TrustListCache.readList(path)
    }
}
