import CodecBridge
import Foundation
import SignetTestSupport
import TrustKit

/// Real lists; see TestVectors/trust.
enum TrustVectors {
    static var folder: String { TestVectors.root.appendingPathComponent("TestVectors/trust").path }

    static func read(_ name: String) throws -> [UInt8] { try read(at: "\(folder)/\(name).xml.z") }

    /// - Parameter path: of a list, which is a zlib stream where it ends with `.z`.
    static func read(at path: String) throws -> [UInt8] {
        let bytes = try ExternalTool.read(path)
        guard path.hasSuffix(".z") else { return bytes }
        return try Flate.inflate(bytes, limit: TrustListLimits.byteCount, tolerateTruncation: false)
    }

    /// More lists, where a folder is named by `SIGNET_TRUST_LISTS`.
    static var further: [String] {
        guard let folder = ProcessInfo.processInfo.environment["SIGNET_TRUST_LISTS"] else {
            return []
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { !$0.hasSuffix(".pem") && !$0.hasSuffix("COPYRIGHT") }.sorted()
            .map { "\(folder)/\($0)" }
    }
}
