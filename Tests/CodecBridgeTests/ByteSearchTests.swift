import CodecBridge
import Testing

struct ByteSearchTests {
    private static let bytes: [UInt8] = {
        var generator = Numbers(state: 7)
        return (0..<1000).map { _ in [37, 37, 82, 48, 65].randomElement(using: &generator) ?? 0 }
    }()

    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
    }

    @Test func placesAreThoseThatALoopFinds() {
        for count in 0...200 {
            let bytes = Array(Self.bytes[(3 * count)...].prefix(count))
            var (either, pairs): ([Int], [Int]) = ([], [])
            ByteSearch.forEach(82, or: 65, in: bytes.span) { either.append($0) }
            ByteSearch.forEach([37, 37], in: bytes.span) { pairs.append($0) }
            #expect(either == bytes.indices.filter { bytes[$0] == 82 || bytes[$0] == 65 })
            #expect(
                pairs == bytes.indices.dropLast().filter { bytes[$0] == 37 && bytes[$0 + 1] == 37 })
        }
    }
}
