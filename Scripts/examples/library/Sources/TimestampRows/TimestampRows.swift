import Foundation
import Shared
import SignetFoundation
import SignetKit

@main
enum TimestampRows {
    static func main() async throws {
        // A timestamp proves that a row of a table existed. The TSA sees only its hash. It is one for
        // tests here; in production: TimestampAuthorities(TimestampOptions(servers: ["https://…"])), and
        // TimestampFile(authorities).run(…).
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let identity = try await TestIdentity(in: folder.path(), profile: .tsa)
        var options = TimestampAuthorityOptions()
        options.serialFile = folder.appending(path: "serial").path()
        let authority = try TimestampResponder(credential: identity.credential, options: options)

        let rows = ["1;Jan Novák;1200", "2;Eva Malá;900", "3;Petr Dvořák;1430"]
        var stamps: [OutputBytes] = []
        for row in rows {
            let (request, stamp) = (OutputBytes(), OutputBytes())
            _ = try await SignetThreads.run {
                try CreateTimestampRequest().run(
                    .content(.data(Data(row.utf8))), into: Destination(request))
            }
            _ = try await authority.run(.bytes(request.bytes), into: Destination(stamp))
            // Stored beside the row.
            stamps.append(stamp)
        }

        let verification = try VerifyTimestamp(identity.trust)
        for (row, stamp) in zip(rows, stamps) {
            let verified = try await verification.run(
                .bytes(stamp.bytes), content: .data(Data(row.utf8)))
            print(row, verified.verdict, verified.signatures.first?.timestamp?.time.date ?? "")
        }
    }
}
