import CodecBridge
import Foundation
import SignetTestSupport
import TrustListKit

/// Real lists; see TestVectors/trust.
enum TrustVectors {
    static var folder: String { TestVectors.root.appendingPathComponent("TestVectors/trust").path }

    static func read(_ name: String) throws -> [UInt8] {
        try Flate.inflate(
            ExternalTool.read("\(folder)/\(name).xml.z"), limit: TrustListLimits.byteCount,
            tolerateTruncation: false)
    }

    /// More lists, where a folder is named by `SIGNET_TRUST_LISTS`.
    static var further: [String] {
        guard let folder = ProcessInfo.processInfo.environment["SIGNET_TRUST_LISTS"] else {
            return []
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix("xml") || $0.hasSuffix("xtsl") }.sorted()
            .map { "\(folder)/\($0)" }
    }
}
