import Foundation
import Shared
import SignetFoundation
import SignetKit

/// What a server tells the sender of an upload.
func answer(to upload: Data, _ verification: VerifyDocument) async -> String {
    do {
        let document = try await verification.run(.data(upload, name: "upload"))
        switch document.verdict {
        case .passed:
            return "signed by \(document.signatures.map(\.signerName).joined(separator: ", "))"
        case .indeterminate, .failed:
            // Codes are stable; the messages are for people.
            let problems = document.problems + document.signatures.flatMap(\.problems)
            return "not accepted: \(problems.map(\.code.rawValue).joined(separator: ", "))"
        case .unsigned: return "not signed"
        }
    } catch let error as SignetError where error.code == .malformedInput {
        return "not a document: \(error.message)"
    } catch {
        return "try again later"
    }
}

extension VerifiedSignature {
    var signerName: String { signer?.displayName ?? "an unknown signer" }
}

@main
enum VerifyUpload {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let identity = try await TestIdentity(in: folder.path())
        let document = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))
        let signed = OutputBytes()
        _ = try await SignDocument(credential: identity.credential, options: SigningOptions())
            .run(.data(document), into: Destination(signed))

        // One for the whole server: it reads the trust anchors once.
        let verification = try VerifyDocument(identity.trust)
        var changed = signed.data
        changed[changed.count / 4] ^= 1
        for upload in [signed.data, changed, document, Data("hello".utf8)] {
            print(await answer(to: upload, verification))
        }
    }
}
