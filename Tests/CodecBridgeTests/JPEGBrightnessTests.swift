import Base
import CodecBridge
import Foundation
import SignetTestSupport
import Testing

/// The brightness of pictures, copied without loss: jpegtran is the judge.
struct JPEGBrightnessTests {
    private let gray = JPEGTranscoder(method: .lossless, isGray: true)

    private func transcode(_ transcoder: JPEGTranscoder, _ bytes: [UInt8]) throws -> [UInt8] {
        let sink = MemorySink()
        _ = try transcoder.run(from: MemorySource(bytes), to: sink)
        return sink.bytes
    }

    /// The same coefficients give the same bytes, once libjpeg has coded them with its own tables.
    private func normalized(_ bytes: [UInt8]) throws -> [UInt8] {
        try transcode(JPEGTranscoder(method: .lossless), bytes)
    }

    /// Noise, whose blocks have long codes, beside stripes.
    private func ppm(_ width: Int, _ height: Int) -> [UInt8] {
        var state: UInt32 = 1
        let pixels = (0..<(3 * width * height)).map { index -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return index / 21 % 3 == 0 ? UInt8(state >> 24) : UInt8(index * 7 & 255)
        }
        return Array("P6 \(width) \(height) 255\n".utf8) + pixels
    }

    @Test(arguments: [(75, 61), (8, 8), (130, 17)])
    func keepsEachCoefficientOfAllSamplings(width: Int, height: Int) throws {
        guard let cjpeg = try ExternalTool.find("cjpeg"),
            let jpegtran = try ExternalTool.find("jpegtran")
        else { return }
        try ExternalTool.withFolder { folder in
            try ExternalTool.write(ppm(width, height), to: folder + "/in.ppm")
            try ExternalTool.write(Array("0;1;2;".utf8), to: folder + "/scans")
            try ExternalTool.write(Array("0 1;2;".utf8), to: folder + "/pairs")
            for sampling in [
                "1x1", "2x1", "1x2", "2x2", "4x1", "1x4", "3x1", "3x2", "4x2", "2x2,1x1,2x1",
            ] {
                for options in [
                    [], ["-optimize"], ["-restart", "1B"], ["-restart", "3B", "-optimize"],
                    ["-quality", "100"], ["-quality", "1"], ["-scans", folder + "/scans"],
                    ["-scans", folder + "/pairs"], ["-progressive"], ["-arithmetic"],
                ] {
                    let made = try ExternalTool.run(
                        cjpeg, ["-sample", sampling] + options + [folder + "/in.ppm"])
                    // libjpeg does not write all of them.
                    guard made.status == 0 else { continue }
                    try ExternalTool.write(made.output, to: folder + "/in.jpg")
                    let judge = try ExternalTool.run(jpegtran, ["-grayscale", folder + "/in.jpg"])
                    let ours = try transcode(gray, made.output)
                    #expect(
                        try normalized(ours) == normalized(judge.output), "\(sampling) \(options)")
                }
            }
        }
    }

    @Test func refusesBrightnessOfLessThanFullResolution() throws {
        guard let cjpeg = try ExternalTool.find("cjpeg") else { return }
        try ExternalTool.withFolder { folder in
            try ExternalTool.write(ppm(40, 40), to: folder + "/in.ppm")
            let made = try ExternalTool.run(cjpeg, ["-sample", "1x1,2x2,1x1", folder + "/in.ppm"])
            #expect(throws: CodecError.self) { try transcode(gray, made.output) }
        }
    }

    @Test func everyPrefixIsTruncated() throws {
        let bytes = try vector("restart.jpg")
        for count in stride(from: 0, to: bytes.count, by: 3) {
            #expect(throws: CodecError.self) { try transcode(gray, Array(bytes.prefix(count))) }
        }
    }

    /// Damage is noticed, or what comes out decodes all the same.
    @Test(arguments: ["restart.jpg", "detailed.jpg"])
    func damageDoesNoHarm(name: String) throws {
        let bytes = try vector(name)
        var refused = 0
        for index in stride(from: 2, to: bytes.count, by: max(1, bytes.count / 150)) {
            var damaged = bytes
            damaged[index] ^= UInt8(1 << (index % 8))
            guard let made = try? transcode(gray, damaged) else {
                refused += 1
                continue
            }
            #expect(throws: Never.self) { try normalized(made) }
        }
        #expect(refused > 0)
    }

    @Test func warnsOfBytesThatBelongToNoPart() throws {
        var bytes = try vector("orientation-1.jpg")
        bytes.insert(contentsOf: [1, 2, 3, 4, 5], at: bytes.count - 2)
        let outcome = try gray.run(from: MemorySource(bytes), to: CountingSink())
        #expect(outcome.warning?.contains("5 extraneous bytes") == true)
    }

    @Test func warnsOfRestartMarkersOutOfOrder() throws {
        var bytes = try vector("restart.jpg")
        let markers = bytes.indices.dropLast().filter {
            bytes[$0] == 0xFF && (0xD0...0xD7).contains(bytes[$0 + 1])
        }
        try #require(!markers.isEmpty)
        bytes[markers[0] + 1] ^= 4
        let outcome = try gray.run(from: MemorySource(bytes), to: CountingSink())
        #expect(outcome.warning?.contains("instead of RST") == true)
    }

    private func vector(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: TestVectors.url("jpeg/\(name)")))
    }
}
