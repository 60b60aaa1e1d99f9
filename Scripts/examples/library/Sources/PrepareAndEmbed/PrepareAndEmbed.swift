import Foundation
import Shared
import SignetFoundation
import SignetKit

@main
enum PrepareAndEmbed {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let identity = try await TestIdentity(in: folder.path())

        // First request: the server knows the certificate only. It stores the prepared document and gives
        // the browser what has to be signed.
        let certificate = folder.appending(path: "cert.pem").path()
        let certificateOnly = try SigningCredential(certificateFile: certificate)
        let prepared = OutputBytes()
        _ = try await SignDocument(credential: certificateOnly, options: SigningOptions())
            .prepareRemotely(
                .file(URL(filePath: CommandLine.arguments[1])), into: Destination(prepared))
        let stored = prepared.data
        let pending = try EmbedSignature().pending(in: .data(stored))
        let question = try JSONEncoder().encode(pending)

        // The browser signs with a card or with Web Crypto.
        let asked = try JSONDecoder().decode(PendingValue.self, from: question)
        let value = try identity.credential.sign(asked.input, with: asked.algorithm)

        // Second request, any time later: the value is verified before it is embedded.
        let signed = OutputBytes()
        _ = try await EmbedSignature().run(
            .data(stored), signature: .bytes(value, name: "value"), into: Destination(signed))
        let verified = try await VerifyDocument(identity.trust).run(.bytes(signed.bytes))
        print("embedded: \(verified.verdict)")
    }
}
