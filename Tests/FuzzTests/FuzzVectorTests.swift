import Foundation
import FuzzTargets
import Testing

/// Replays what the fuzzer found, and the seeds.
struct FuzzVectorTests {
    /// A vector's target and its path.
    struct Vector: Sendable, CustomTestStringConvertible {
        let target: FuzzTarget
        let path: String

        var testDescription: String { path.split(separator: "/").suffix(2).joined(separator: "/") }
    }

    static let vectors: [Vector] = FuzzTarget.allCases.flatMap { target in
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../TestVectors/fuzz/\(target.rawValue)").standardizedFileURL.path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { Vector(target: target, path: "\(folder)/\($0)") }
    }

    @Test func everyTargetHasVectors() {
        #expect(Set(Self.vectors.map(\.target)) == Set(FuzzTarget.allCases))
    }

    @Test(.timeLimit(.minutes(15)), arguments: vectors)
    func survives(_ vector: Vector) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: vector.path)))
        #expect(vector.target.failure(of: bytes) == nil)
    }
}
