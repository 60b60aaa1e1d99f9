import Foundation
import Shared
import SignetFoundation
import SignetKit

@main
enum VisibleStamp {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let identity = try await TestIdentity(in: folder.path())

        var options = SigningOptions()
        // At the bottom right of the last page.
        var stamp = StampOptions()
        stamp.page = -1
        stamp.position = .place(.bottomRight)
        options.stamp = stamp
        options.reason = "Approved"
        let signed = try await SignDocument(credential: identity.credential, options: options).run(
            .file(URL(filePath: CommandLine.arguments[1])),
            into: Destination(url: URL(filePath: CommandLine.arguments[2])))
        print("\(signed.output ?? ""): signed, level \(signed.level.rawValue)")
    }
}
