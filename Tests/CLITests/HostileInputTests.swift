import CodecBridge
import Foundation
import SignetTestSupport
import Testing

/// Files made to exhaust time or memory, and files that are large for good reasons: all of them
/// are done within a second of computing and with little memory.
struct HostileInputTests {
    /// A document's objects by number, then a table; or whatever else a bomb consists of.
    struct Bomb: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: @Sendable () -> [UInt8]
        /// Some defects are no obstacle: then the document is signed as quickly as it is refused.
        var maySign = false

        var testDescription: String { name }
    }

    static let catalog = "<</Type/Catalog/Pages 2 0 R>>"
    static let pages = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
    static let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]>>"

    static let bombs: [Bomb] = [
        Bomb(name: "Flate in Flate in a cross-reference stream") {
            let zeros = Flate.deflate([UInt8](repeating: 0, count: 64 << 20))
            return crossReferenceStream(
                "/Size 8388607/W[1 8 8]/Filter[/FlateDecode/FlateDecode]", Flate.deflate(zeros))
        },
        Bomb(name: "run lengths of run lengths") {
            crossReferenceStream(
                "/Size 8388607/W[1 8 8]/Filter[/RL/RL/RL]",
                [UInt8](repeating: 0x81, count: 400_000))
        },
        Bomb(name: "a chain of large cross-reference streams") {
            let data = Flate.deflate([UInt8](repeating: 0, count: 7 << 20))
            return chain(of: 50, "/Size 1000000/W[1 4 2]/Filter/FlateDecode", data)
        },
        Bomb(name: "Flate in an object stream") {
            let zeros = Flate.deflate([UInt8](repeating: 0, count: 64 << 20))
            return objectStream("/N 2/First 10/Filter[/Fl/Fl]", Flate.deflate(zeros))
        }, Bomb(name: "huge N") { objectStream("/N 2147483648/First 10", Array("10 0".utf8)) },
        Bomb(name: "N at its limit") { objectStream("/N 100000/First 10", Array("10 0".utf8)) },
        // Nothing has to be refused: numbers that nobody uses are found below.
        Bomb(
            name: "huge Size",
            bytes: { table([1: catalog, 2: pages, 3: page], size: 99_999_999_999) }, maySign: true),
        Bomb(
            name: "huge W",
            bytes: { crossReferenceStream("/Size 9/W[1 999999999 1]", [0, 0, 0]) }, maySign: true),
        Bomb(
            name: "huge Index",
            bytes: { crossReferenceStream("/Size 9/W[1 1 1]/Index[0 9999999999]", [0, 0, 0]) },
            maySign: true),
        Bomb(
            name: "huge Count",
            bytes: {
                let tree = "<</Type/Pages/Kids[3 0 R]/Count 99999999999999999>>"
                return table([1: catalog, 2: tree, 3: page])
            }, maySign: true),
        Bomb(name: "a million nested arrays") {
            table([1: catalog, 2: nested("[", "]"), 3: page])
        },
        Bomb(name: "a million nested dictionaries") {
            table([1: "<</X " + nested("<</X ", ">>") + ">>", 2: pages, 3: page])
        },
        Bomb(name: "a million nested parentheses") {
            table([1: catalog, 2: nested("(", ")"), 3: page])
        },
        Bomb(name: "a million open parentheses") {
            table([1: catalog, 2: nested("(", ""), 3: page])
        },
        Bomb(name: "a long string") {
            table([1: catalog, 2: "(" + String(repeating: "a", count: 17 << 20) + ")", 3: page])
        },
        Bomb(name: "many numbers") {
            table([1: catalog, 2: "[" + String(repeating: ".1 ", count: 600_000) + "]", 3: page])
        },
        Bomb(name: "many strings without end") {
            Array(("%PDF-1.7\n" + (1..<50_000).map { "\($0) 0 obj(\n" }.joined()).utf8)
        },
        Bomb(name: "fields that share their kids") {
            let fields = (10..<3000).map { "\($0) 0 R" }.joined(separator: " ")
            let kids = "[" + String(repeating: "3 0 R ", count: 3000) + "]"
            var objects = [
                1: "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[\(fields)]>>>>", 2: pages,
                3: page, 4: kids,
            ]
            for number in 10..<3000 { objects[number] = "<</T(a)/Kids 4 0 R>>" }
            return table(objects)
        },
        Bomb(name: "chained references") {
            var objects = [1: "<</Type/Catalog/Pages 2 0 R/AcroForm 4 0 R>>", 2: pages, 3: page]
            for number in 4..<1000 { objects[number] = "\(number + 1) 0 R" }
            return table(objects)
        },
        Bomb(name: "a tree in a circle") {
            table([1: catalog, 2: "<</Type/Pages/Kids[2 0 R]/Count 5>>", 3: page])
        },
        Bomb(
            name: "a tree as deep as it has nodes",
            bytes: {
                var objects = [1: catalog]
                for number in 2..<20_000 {
                    objects[number] = "<</Type/Pages/Kids[\(number + 1) 0 R]/Count 1>>"
                }
                objects[20_000] = page
                return table(objects)
            }, maySign: true),
    ]

    @Test(arguments: bombs)
    func refusesBombsQuickly(_ bomb: Bomb) throws {
        let workspace = try signingWorkspace()
        try workspace.write(Data(bomb.bytes()), to: "input.pdf")
        let outcome = try signWithLimits(in: workspace)
        if bomb.maySign, outcome.exitCode == .done { return }
        outcome.expectRefusal(.malformedInput)
    }

    /// Page trees of 100,000 pages: flat, and of many levels.
    @Test(arguments: [10, 1000, 100_000]) func findsPagesOfLargeTreesQuickly(fanOut: Int) throws {
        let workspace = try signingWorkspace()
        let document = Self.table(Self.tree(pageCount: 100_000, fanOut: fanOut))
        try workspace.write(Data(document), to: "input.pdf")
        for place in [[], ["--at", "last:bottom-right"], ["--at", "50000:bottom-right"]] {
            try signWithLimits(in: workspace, place).expect(.done, "\(place)")
        }
    }

    /// Address space: libraries, stacks and reserve included, so that what is in use is less.
    static let kilobytes = 112 * 1024

    /// Signs with a second of processor time and limited memory. Debug builds get more time.
    private func signWithLimits(
        in workspace: Workspace, _ options: [String] = []
    ) throws -> CommandOutcome {
        let signet = try SignetBinary.path
        // Ten times what any takes on a slow machine: more is a hang.
        let seconds = signet.contains("/release/") ? 6 : 60
        let script = "ulimit -v \(Self.kilobytes) -t \(seconds) && exec \"$0\" \"$@\""
        return try CommandRunner.run(
            "/bin/bash",
            ["-c", script, signet, "sign", "input.pdf", "--quiet", "--force"]
                + ["--key", "key.pem", "--cert", "valid.pem"] + options,
            folder: workspace.folder)
    }

    // MARK: Building files

    private static func nested(_ opening: String, _ closing: String) -> String {
        String(repeating: opening, count: 1_000_000) + String(repeating: closing, count: 1_000_000)
    }

    private static func table(_ objects: [Int: String], size: Int? = nil) -> [UInt8] {
        var file = Array("%PDF-1.7\n".utf8)
        let highest = objects.keys.max() ?? 0
        var rows = "xref\n0 \(highest + 1)\n0000000000 65535 f \n"
        for number in 1...highest {
            guard let body = objects[number] else {
                rows += "0000000000 65535 f \n"
                continue
            }
            let digits = String(file.count)
            rows += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
            file += "\(number) 0 obj\n\(body)\nendobj\n".utf8
        }
        let start = file.count
        file += rows.utf8
        file += "trailer\n<</Size \(size ?? highest + 1)/Root 1 0 R>>\n".utf8
        return file + Array("startxref\n\(start)\n%%EOF\n".utf8)
    }

    private static func stream(_ number: Int, _ dictionary: String, _ data: [UInt8]) -> [UInt8] {
        Array("\(number) 0 obj\n<<\(dictionary)/Length \(data.count)>>\nstream\n".utf8) + data
            + Array("\nendstream\nendobj\n".utf8)
    }

    private static let body = Array(
        "%PDF-1.7\n1 0 obj\n\(catalog)\nendobj\n2 0 obj\n\(pages)\nendobj\n3 0 obj\n\(page)\nendobj\n"
            .utf8)

    private static func crossReferenceStream(_ dictionary: String, _ data: [UInt8]) -> [UInt8] {
        chain(of: 1, dictionary, data)
    }

    private static func chain(of count: Int, _ dictionary: String, _ data: [UInt8]) -> [UInt8] {
        var file = body
        var previous = ""
        var start = 0
        for number in 20..<(20 + count) {
            start = file.count
            file += stream(number, "/Type/XRef/Root 1 0 R\(dictionary)\(previous)", data)
            previous = "/Prev \(start)"
        }
        return file + Array("startxref\n\(start)\n%%EOF\n".utf8)
    }

    /// The page tree is said to be in an object stream.
    private static func objectStream(_ dictionary: String, _ data: [UInt8]) -> [UInt8] {
        var file = Array("%PDF-1.7\n".utf8)
        func row(_ type: UInt8, _ number: Int) -> [UInt8] {
            [type] + [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) } + [0]
        }
        var rows = row(0, 0) + row(1, file.count)
        file += "1 0 obj\n<</Type/Catalog/Pages 10 0 R>>\nendobj\n".utf8
        rows += row(1, file.count) + row(2, 2)
        file += stream(2, "/Type/ObjStm\(dictionary)", data)
        let start = file.count
        file += stream(3, "/Type/XRef/Root 1 0 R/Size 11/W[1 4 1]/Index[0 3 10 1]", rows)
        return file + Array("startxref\n\(start)\n%%EOF\n".utf8)
    }

    /// The objects of a document whose page tree has nodes of so many kids.
    private static func tree(pageCount: Int, fanOut: Int) -> [Int: String] {
        var objects = [1: catalog]
        var next = 3
        var pending = [(number: 2, pages: pageCount, parent: 0)]
        while let node = pending.popLast() {
            let parent = node.parent > 0 ? "/Parent \(node.parent) 0 R" : ""
            if node.pages == 1 {
                objects[node.number] = "<</Type/Page/MediaBox[0 0 300 300]\(parent)>>"
                continue
            }
            let count = min(fanOut, node.pages)
            var kids = ""
            for index in 0..<count {
                kids += "\(next) 0 R "
                let share = node.pages / count + (index < node.pages % count ? 1 : 0)
                pending.append((next, share, node.number))
                next += 1
            }
            objects[node.number] = "<</Type/Pages/Count \(node.pages)/Kids[\(kids)]\(parent)>>"
        }
        return objects
    }
}
