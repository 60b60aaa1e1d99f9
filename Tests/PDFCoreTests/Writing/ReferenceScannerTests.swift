import Base
import CodecBridge
import PDFCore
import SignetTestSupport
import Testing

@Suite("Numbers that a file refers to")
struct ReferenceScannerTests {
    private struct Randoms {
        var state: UInt64

        /// Below `count`.
        mutating func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
    }

    private func scan(_ parts: [String]) -> ObjectNumberSet {
        var scanner = ReferenceScanner()
        for part in parts { scanner.scan(Array(part.utf8).span) }
        return scanner.numbers
    }

    @Test(
        "however a reference is spelled",
        arguments: [
            "[7123 0 R]", "/A 7123 0 R", "7123\n0\tR", "7123 \u{0}\u{C} 0\r\nR", "007123 00 R",
            "7123 % a comment R\n0 R", "7123 0% one\n% two\n R", "7123%\n0%\nR", "+7123 0 R",
            "7123.0 0.0 R", "7123e0 0 R", "7123 0R", "(7123 0 R)", "stream 7123 0 R",
            "9 0 R 7123 0 R", "several words before it 7123 0 R", "[0 0 0 0 0 0 0 0](x)7123 0 R",
            "7123 65535 R", "--7123 0 R", "7122.5 0 R",
        ])
    func spellings(text: String) {
        #expect(scan([text]).contains(7123))
        // Wherever the text is cut in two, and however far the parts are apart.
        let characters = Array(text.unicodeScalars)
        for cut in characters.indices {
            var (first, second) = ("", "")
            first.unicodeScalars.append(contentsOf: characters[..<cut])
            second.unicodeScalars.append(contentsOf: characters[cut...])
            #expect(scan([first, second]).contains(7123), "cut at \(cut)")
        }
        #expect(scan(characters.map { String($0) }).contains(7123))
    }

    @Test("the quick look finds what the patient one finds")
    func quickLook() {
        var random = Randoms(state: 14)
        let alphabet = Array("0123456789  RR%+-.e\n/x".utf8)
        for _ in 0..<Nightly.count(400) {
            let text = (0..<60).map { _ in
                random.next(3) == 0
                    ? " \(random.next(30_000)) 0 R"
                    : String(UnicodeScalar(alphabet[random.next(alphabet.count)]))
            }
            let whole = text.joined()
            // A part of one byte is never looked at quickly.
            let (quick, patient) = (scan([whole]), scan(whole.map { String($0) }))
            #expect(
                (1..<40_000).allSatisfy { quick.contains($0) == patient.contains($0) },
                "\(whole)")
        }
    }

    @Test(
        "numbers of as many digits as are read at once, and of more",
        arguments: [
            "123456", "1234567", "8388607", "01234567", "12345678", "123456789", "+1234567",
            "x1234567", ".1234567", "-8388607", "e7", "7.", "x",
        ])
    func manyDigits(spelling: String) {
        for count in 0...12 {
            let text = String(repeating: "/", count: count) + spelling + " 0 R"
            let (quick, patient) = (scan([text]), scan(text.map { String($0) }))
            for number in [0, 6, 7, 123_456, 1_234_567, 2_345_678, 8_388_607] {
                #expect(quick.contains(number) == patient.contains(number), "\(text)")
            }
        }
        #expect(scan(["/A 1234567 0 R /B 8388607 0 R"]).contains(1_234_567))
    }

    @Test("what stands in the middle of a number", arguments: [0, 70, 300])
    func middles(count: Int) {
        let (zeros, signs) = ["0", "-"].map { String(repeating: $0, count: count) }.pair
        for number in [
            zeros + "7123" + signs, zeros + "7123." + zeros, "71-23", "-71--23-", zeros + "7.123e3",
            "+" + zeros + "712" + signs + "3",
        ] {
            for parts in [[number + " 0 R"], [number, " 0 R"], [number, " ", "0", " R"]] {
                #expect(scan(parts).contains(7123), "\(parts)")
            }
        }
        for parts in [
            [zeros + "712" + signs, "3 0 R"], [zeros + "7." + "12", "3e3 0 R"],
            ["1.2." + zeros + "71" + signs, signs + "23 ", "0 R"], [zeros, "7123 0 R"],
            ["7123 0" + zeros, " R"], ["9e" + signs + zeros + "7", "123 0 R"],
        ] { #expect(scan(parts).contains(7123), "\(parts)") }
    }

    @Test("a number that is cut is the same as a whole one")
    func cuts() {
        var random = Randoms(state: 3)
        for _ in 0..<Nightly.count(300) {
            let number = (0..<6).map { _ in
                let piece = ["0", "-", "+", ".", "7", "12", "e", "3"][random.next(8)]
                return String(repeating: piece, count: random.next(3) == 0 ? random.next(150) : 1)
            }.joined()
            let whole = scan([number + " 0 R"])
            let cut = random.next(max(1, number.count))
            let (first, second) = (number.prefix(cut), number.dropFirst(cut))
            let parts = [String(first), String(second) + " 0 R"]
            for (text, found) in [
                (parts, scan(parts)), ([number, " 0 R"], scan([number, " 0 R"])),
            ] {
                #expect(
                    (1..<100_000).allSatisfy { !whole.contains($0) || found.contains($0) },
                    "\(text)")
            }
        }
    }

    @Test("long white space and zeros, over many parts")
    func longSpellings() {
        let gap = String(repeating: " ", count: 100_000)
        let zeros = String(repeating: "0", count: 100_000)
        #expect(scan([zeros, "7123", gap, gap, zeros, gap, "R"]).contains(7123))
        #expect(scan([zeros + "7123" + gap + "0" + gap + "% " + gap, "\nR"]).contains(7123))
        for start in ["", "+", "-", "--", "0+", "1.", "9e"] {
            for count in [50, 63, 64, 65, 127, 128, 200] {
                let number = start + String(repeating: "0", count: count) + "7123"
                let parts = [number, " ", "0", " ", "R"]
                #expect(scan([parts.joined()]).contains(7123), "\(start)")
                #expect(scan(parts).contains(7123), "\(start) \(count)")
                let split = [String(number.dropLast(2)), "23 0", "% no\nR"]
                #expect(scan(split).contains(7123), "\(start) \(count)")
            }
        }
    }

    @Test("what is no reference")
    func others() {
        for text in ["7123 0 obj", "7123 R", "0 7123 S", "x7123", "71230 0 R", "7 123 0 R"] {
            #expect(!scan([text]).contains(7123), "\(text)")
        }
    }

    @Test("new objects take none of the numbers that are avoided")
    func avoided() throws {
        let document = try PDFDocument(source: MemorySource(SamplePDF().bytes))
        var avoided = ObjectNumberSet()
        for number in [6, 7, 9, 12] { avoided.insert(number) }
        var update = IncrementalUpdate(document: document, avoiding: avoided)
        #expect((0..<4).map { _ in update.allocate().number } == [8, 10, 11, 13])
    }

    @Test("references in object streams of every revision")
    func objectStreams() throws {
        let packed = "10 0 <</A 7123 0 R>>"
        var sample = SamplePDF()
        sample.crossReference = .stream
        sample.objects.append(
            "<</Type /ObjStm /N 1 /First 5 /Length \(packed.utf8.count)>>\nstream\n\(packed)"
                + "\nendstream")
        let base = sample.bytes
        // The next revision has object 10 in the object stream, a third one replaces that stream.
        let second = revision(base, [[2, 0, 0, 6, 0]], "[10 1]")
        let third = revision(second, [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0]], "[6 1 10 1]")
        for bytes in [second, third] {
            let document = try PDFDocument(source: MemorySource(bytes))
            #expect(try document.numbersReferencedInObjectStreams().contains(7123))
        }
    }

    /// Appends a revision with a cross-reference stream of rows of five bytes.
    private func revision(_ bytes: [UInt8], _ rows: [[UInt8]], _ index: String) -> [UInt8] {
        let start = bytes.count
        let previous =
            String(decoding: bytes, as: UTF8.self).components(after: "startxref\n") ?? "0"
        let data = rows.flatMap { $0 }
        let dictionary =
            "<</Type /XRef /Size 21 /Root 1 0 R /Prev \(previous) /W [1 3 1] /Index \(index)"
            + " /Length \(data.count)>>"
        return bytes + Array("20 0 obj\n\(dictionary)\nstream\n".utf8) + data
            + Array("\nendstream\nendobj\nstartxref\n\(start)\n%%EOF\n".utf8)
    }

    @Test("references in object streams for two threads, with one that is not compressed")
    func objectStreamsForThreads() throws {
        var sample = SamplePDF()
        sample.crossReference = .stream
        var (bytes, rows) = (sample.bytes, [[UInt8]]())
        // 400,000 digits that hardly repeat take more than half of a batch.
        var number: UInt64 = 1
        let digits = (0..<25_000).map { _ in
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return String(number | 1 << 63, radix: 16)
        }.joined()
        for index in 0..<4 {
            let packed = Array("\(11 + index) 0 <</A \(7100 + index) 0 R>> %\(digits)".utf8)
            let isFlate = index != 2
            let data = isFlate ? Flate.deflate(packed) : packed
            let place = bytes.count
            let offset = [place >> 16, place >> 8, place].map { UInt8(truncatingIfNeeded: $0) }
            rows.append([1] + offset + [0])
            let filter = isFlate ? " /Filter /FlateDecode" : ""
            let head = "<</Type /ObjStm /N 1 /First 5\(filter) /Length \(data.count)>>\nstream\n"
            bytes += Array("\(7 + index) 0 obj\n\(head)".utf8) + data
            bytes += Array("\nendstream\nendobj\n".utf8)
        }
        rows += (7..<11).map { [2, 0, 0, $0, 0] }
        let document = try PDFDocument(source: MemorySource(revision(bytes, rows, "[7 8]")))
        let numbers = try document.numbersReferencedInObjectStreams()
        #expect((7100..<7104).allSatisfy { numbers.contains($0) })
        #expect(!numbers.contains(7104))
    }
}

extension [String] { fileprivate var pair: (String, String) { (self[0], self[1]) } }

extension String {
    /// The number behind the last occurrence of `text`.
    fileprivate func components(after text: String) -> String? {
        guard let range = ranges(of: text).last else { return nil }
        return String(self[range.upperBound...].prefix { $0.isNumber })
    }
}
