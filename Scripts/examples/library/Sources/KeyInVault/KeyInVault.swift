import Foundation
import Shared
import SignetFoundation
import SignetKit

/// A key in a vault that is asked over the network: here it only takes its time.
struct Vault: AsyncSigner {
    let key: SigningCredential

    var certificates: [[UInt8]] { get async throws { key.certificates } }

    func sign(
        _ input: SigningInput, with algorithm: SigningAlgorithm
    ) async throws -> [UInt8] {
        try await Task.sleep(for: .milliseconds(300))
        return try key.sign(input, with: algorithm)
    }
}

@main
enum KeyInVault {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let identity = try await TestIdentity(in: folder.path())
        let credential = try await SigningCredential(
            signer: Vault(key: identity.credential), name: "vault")

        // 100 documents wait for the vault at once, and need no thread for it.
        let task = SignDocument(credential: credential, options: SigningOptions())
        let document = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))
        let began = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for number in 1...100 {
                group.addTask {
                    let signed = OutputBytes()
                    _ = try await task.run(
                        .data(document, name: "document \(number)"), into: Destination(signed))
                }
            }
            try await group.waitForAll()
        }
        print("100 signatures in \(began.duration(to: .now))")
    }
}
