import Base
import CodecBridge
import Foundation
import PDFCore
import Pages
import SignetTestSupport
import Testing

func vector(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: TestVectors.url("jpeg/\(name)")))
}

struct PhotoTests {
    private func code(_ bytes: [UInt8], method: PhotoMethod = .untouched(strips: false))
        -> PhotoError.Code?
    {
        do {
            let source = MemorySource(bytes)
            _ = try Photo(source).write(method, from: source, to: CountingSink())
            return nil
        } catch {
            return (error as? PhotoError)?.code
        }
    }

    @Test(arguments: 0...8) func readsTheOrientation(value: Int) throws {
        let photo = try Photo(MemorySource(try vector("orientation-\(value).jpg")))
        #expect(photo.orientation == max(1, value))
        #expect(!photo.hasLocation)
    }

    @Test func noticesALocation() throws {
        let photo = try Photo(MemorySource(try vector("gps.jpg")))
        #expect(photo.hasLocation)
        #expect(photo.density?.x == 144)
    }

    @Test(arguments: ["gps.jpg", "progressive.jpg", "cmyk.jpg", "restart.jpg"])
    func copiesByteForByteAndDropsWhatFollows(name: String) throws {
        let bytes = try vector(name)
        let sink = MemorySink()
        let source = MemorySource(bytes + Array("a film follows".utf8))
        _ = try Photo(source).write(.untouched(strips: false), from: source, to: sink)
        #expect(sink.bytes == bytes)
    }

    @Test(arguments: ["gps.jpg", "progressive.jpg"]) func everyPrefixIsRefused(name: String) throws
    {
        let bytes = try vector(name)
        for count in 0..<bytes.count {
            #expect(code(Array(bytes.prefix(count))) != nil, "\(count) bytes")
        }
    }

    @Test func refusesABomb() throws {
        var bytes = try vector("orientation-1.jpg")
        let frame = try #require(bytes.firstRange(of: [0xFF, 0xC0])).lowerBound
        bytes.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
        #expect(code(bytes) == .tooLarge)
        bytes.replaceSubrange(frame + 5..<frame + 9, with: [0x20, 0, 0x20, 0])
        #expect(code(bytes) == .truncated)
    }

    @Test(arguments: [(0xC3, 8, PhotoError.Code.unsupported), (0xC1, 12, .unsupported)])
    func refusesByName(marker: Int, bits: Int, expected: PhotoError.Code) throws {
        var bytes = try vector("orientation-1.jpg")
        let frame = try #require(bytes.firstRange(of: [0xFF, 0xC0])).lowerBound
        bytes[frame + 1] = UInt8(marker)
        bytes[frame + 4] = UInt8(bits)
        #expect(code(bytes) == expected)
    }

    @Test func otherFilesAreNamed() throws {
        #expect(code(try vector("picture.png")) == .notAPhoto)
        #expect(code([]) == .notAPhoto)
        let heic = [0, 0, 0, 24] + Array("ftypheic".utf8) + [UInt8](repeating: 0, count: 32)
        #expect { _ = try Photo(MemorySource(heic)) } throws: {
            ($0 as? PhotoError)?.detail.contains("HEIC") == true
        }
    }

    @Test func strippingKeepsThePictureOnly() throws {
        let source = MemorySource(try vector("gps.jpg"))
        let sink = MemorySink()
        _ = try Photo(source).write(.untouched(strips: true), from: source, to: sink)
        let stripped = try Photo(MemorySource(sink.bytes))
        #expect(!stripped.hasLocation)
        #expect(!stripped.markers.segments.contains { $0.marker == 0xE1 })
        #expect(stripped.density?.x == 144)
    }

    @Test func damagedDataIsNoticedWhenDecoded() throws {
        var bytes = try vector("orientation-1.jpg")
        let start = try #require(bytes.firstRange(of: [0xFF, 0xDA])).lowerBound + 14
        bytes.removeSubrange(start + 20..<bytes.count - 2)
        let recoded = JPEGTranscoder(method: .recoded(eighths: 8, shrink: 1, quality: 80))
        #expect(code(bytes, method: .transcoded(recoded)) == .malformed)
    }
}

struct ColorProfileTests {
    @Test func theOwnProfileIsWhole() throws {
        let bytes = ColorProfile.sRGB()
        let profile = try #require(ColorProfile(bytes, componentCount: 3))
        #expect(profile.bytes == bytes && bytes.count < 3000)
        #expect(ColorProfile(bytes, componentCount: 4) == nil)
        #expect(ColorProfile(Array(bytes.prefix(1000)), componentCount: 3) == nil)
    }
}
