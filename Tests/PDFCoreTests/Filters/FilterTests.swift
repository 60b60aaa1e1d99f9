import Base
import CodecBridge
import Testing

@testable import PDFCore

struct FilterTests {
    private func decode(
        _ dictionary: PDFDictionary, _ data: [UInt8], limit: Int = 1 << 20
    ) throws -> [UInt8] {
        let chain = try FilterChain(dictionary) { (object) throws(PDFError) in object }
        return try chain.decode(data, limit: limit, warnings: WarningLog())
    }

    @Test(arguments: [
        ("ASCIIHexDecode", "48 65 6C6c6F>junk", "Hello"),
        ("AHx", "484", "H@"),
        ("ASCII85Decode", "87cURD]i,\"Ebo80~>", "Hello World!"),
        ("A85", "87cURD]j~>", "Hello "),
        ("A85", "z~>", "\0\0\0\0"),
        ("RunLengthDecode", "\u{02}abc\u{7F}", "abc"),
    ])
    func decodesTextFilters(filter: String, input: String, expected: String) throws {
        let output = try decode(["Filter": .name(PDFName(filter))], Array(input.utf8))
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test func decodesRunLengths() throws {
        let output = try decode(["Filter": .name("RL")], [254, 65, 0, 66, 128, 99])
        #expect(output == [65, 65, 65, 66])
    }

    /// The example of ISO 32000-2 §7.4.4.2.
    @Test func decodesLZW() throws {
        let output = try decode(
            ["Filter": .name("LZWDecode")], [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01])
        #expect(output == [45, 45, 45, 45, 45, 65, 45, 45, 45, 66])
    }

    @Test func appliesSeveralFiltersInOrder() throws {
        let data = Array("78da>".utf8)
        let compressed = Flate.deflate(Array("deep".utf8))
        let hex = Hex.digits(of: compressed)
        let names = PDFObject.array([.name("AHx"), .name("Fl")])
        #expect(try decode(["Filter": names], hex) == Array("deep".utf8))
        #expect(errorCode { _ = try decode(["Filter": names], data) } == .malformedStream)
    }

    @Test(arguments: [
        [0, 1, 2, 3, 4]: [1, 2, 3, 4],
        [1, 1, 1, 1, 1]: [1, 2, 3, 4],
        [2, 1, 1, 1, 1]: [11, 21, 31, 41],
        [3, 1, 1, 1, 1]: [6, 14, 23, 32],
        [4, 1, 1, 1, 1]: [11, 21, 31, 41],
    ])
    func undoesPNGPredictors(row: [UInt8], expected: [UInt8]) throws {
        let parameters: PDFObject = .dictionary(["Predictor": .integer(12), "Columns": .integer(4)])
        let first: [UInt8] = [0, 10, 20, 30, 40]
        let output = try decode(
            ["Filter": .name("FlateDecode"), "DecodeParms": parameters],
            Flate.deflate(first + row))
        #expect(Array(output.suffix(4)) == expected)
    }

    /// Three components of 4 bits take two bytes (ISO/IEC 15948 clause 9.2).
    @Test func roundsUpTheDistanceOfPNGPredictors() throws {
        let parameters: PDFObject = .dictionary([
            "Predictor": .integer(12), "Columns": .integer(2), "Colors": .integer(3),
            "BitsPerComponent": .integer(4),
        ])
        let entries: PDFDictionary = ["Filter": .name("FlateDecode"), "DecodeParms": parameters]
        #expect(try decode(entries, Flate.deflate([1, 1, 2, 3])) == [1, 2, 4])
        #expect(
            errorCode { _ = try decode(entries, Flate.deflate([5, 1, 2, 3])) } == .malformedStream)
    }

    @Test func undoesTheTIFFPredictor() throws {
        let parameters: PDFObject = .dictionary([
            "Predictor": .integer(2), "Columns": .integer(2), "Colors": .integer(2),
        ])
        let output = try decode(
            ["Filter": .name("FlateDecode"), "DecodeParms": parameters],
            Flate.deflate([1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(output == [1, 2, 4, 6, 5, 6, 12, 14])
    }

    @Test func passesOverTheCryptFilter() throws {
        let filters: PDFObject = .array([.name("Crypt"), .name("FlateDecode")])
        #expect(try decode(["Filter": filters], Flate.deflate([1, 2, 3])) == [1, 2, 3])
    }

    @Test(arguments: ["DCTDecode", "JPXDecode", "JBIG2Decode", "Unknown"])
    func refusesOtherFilters(name: String) {
        #expect(
            errorCode { _ = try decode(["Filter": .name(PDFName(name))], []) } == .unsupportedFilter
        )
    }

    @Test func refusesTooManyFilters() {
        let names = [PDFObject](repeating: .name("AHx"), count: 9)
        #expect(errorCode { _ = try decode(["Filter": .array(names)], []) } == .limitExceeded)
    }

    @Test(arguments: [
        ["Predictor": 12, "Columns": 0], ["Predictor": 12, "Columns": -5],
        ["Predictor": 12, "Columns": Int.max], ["Predictor": 12, "Colors": 0],
        ["Predictor": 15, "BitsPerComponent": 3], ["Predictor": 9],
    ])
    func refusesImpossiblePredictors(parameters: [String: Int]) {
        var dictionary = PDFDictionary()
        for (key, value) in parameters { dictionary[PDFName(key)] = .integer(value) }
        #expect(
            errorCode {
                _ = try decode(
                    ["Filter": .name("FlateDecode"), "DecodeParms": .dictionary(dictionary)],
                    Flate.deflate([1, 2, 3]))
            } == .malformedStream)
    }

    @Test func stopsBombs() {
        let bomb = Flate.deflate([UInt8](repeating: 0, count: 1 << 20))
        #expect(
            errorCode { _ = try decode(["Filter": .name("FlateDecode")], bomb, limit: 1000) }
                == .limitExceeded)
        let runs = [UInt8](repeating: 129, count: 1000)
        #expect(
            errorCode { _ = try decode(["Filter": .name("RL")], runs, limit: 1000) }
                == .limitExceeded)
    }
}
