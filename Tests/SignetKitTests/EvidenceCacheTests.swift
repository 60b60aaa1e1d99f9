import Base
import Foundation
import SignetTestSupport
import Testing

@testable import SignetKit

@Suite struct EvidenceCacheTests {
    /// Whoever names a folder may have files of their own in it, called by a hash or by any number.
    @Test(arguments: [40, 64]) func leavesFilesOfOthers(digitCount: Int) throws {
        let workspace = try Workspace()
        let folder = workspace.url("shelf")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let count = 1100
        for number in 0..<count {
            let digits = String(number, radix: 16)
            let name = String(repeating: "0", count: digitCount - digits.count) + digits
            try Data("mine".utf8).write(to: folder.appendingPathComponent(name))
        }
        _ = try EvidenceCache(folder: folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == count)
    }
}
