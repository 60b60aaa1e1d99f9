import Base
import PDFCore
import SignetKit
import SignetTestSupport
import Synchronization
import Testing

@Suite("Sign and verify encrypted documents")
struct EncryptedDocumentTests {
    private static let ways: [(name: String, options: [String])] = [
        ("RC4-40, revision 2", ["40"]),
        ("RC4-128, revision 3", ["128", "--use-aes=n"]),
        ("RC4-128, revision 4", ["128", "--force-V4"]),
        ("AES-128, revision 4", ["128", "--use-aes=y"]),
        ("AES-128, revision 4", ["128", "--use-aes=y", "--cleartext-metadata"]),
        ("AES-256, revision 5", ["256", "--force-R5"]),
        ("AES-256, revision 6", ["256"]),
        ("AES-256, revision 6", ["256", "--cleartext-metadata"]),
    ]

    /// The sample as qpdf encrypts it; nil where qpdf is missing.
    private static func encrypted(
        user: String, owner: String, _ options: [String], objectStreams: Bool = false,
        _ sample: SamplePDF = SamplePDF(
            catalogEntries: "/Metadata 6 0 R",
            extraObjects: [
                "<</Type /Metadata /Subtype /XML /Length 7>>\nstream\n<xml/>\n\nendstream"
            ])
    ) throws -> [UInt8]? {
        guard let qpdf = try ExternalTool.find("qpdf") else { return nil }
        return try ExternalTool.withFolder { folder in
            let (input, output) = ("\(folder)/in.pdf", "\(folder)/out.pdf")
            try ExternalTool.write(sample.bytes, to: input)
            let run = try ExternalTool.run(
                qpdf,
                [
                    "--allow-weak-crypto",
                    "--object-streams=\(objectStreams ? "generate" : "disable")",
                ] + ["--encrypt", user, owner] + options + ["--", input, output])
            try #require(run.status == 0, "\(run.errors)")
            return try ExternalTool.read(output)
        }
    }

    private static func password(_ text: String) -> DocumentPassword {
        DocumentPassword(.ask { Passphrase(Array(text.utf8)) })
    }

    /// What poppler and qpdf say about a signed file.
    private static func judge(_ bytes: [UInt8], password: String) throws {
        try ExternalTool.withFolder { folder in
            let file = "\(folder)/signed.pdf"
            try ExternalTool.write(bytes, to: file)
            if let qpdf = try ExternalTool.find("qpdf") {
                let run = try ExternalTool.run(qpdf, ["--password=\(password)", "--check", file])
                #expect(run.status == 0, "\(run.errors)")
            }
            if let pdfsig = try ExternalTool.find("pdfsig") {
                let run = try ExternalTool.run(
                    pdfsig, ["-nocert", "-upw", password, "-opw", password, file])
                let text = String(decoding: run.output, as: UTF8.self)
                #expect(text.contains("Signature is Valid"), "\(text)")
                #expect(text.contains("Total document signed"))
            }
        }
    }

    @Test("signs with either password, others agree", arguments: 0..<Self.ways.count, ["u", "o"])
    func roundTrip(way: Int, password: String) throws {
        let (name, options) = Self.ways[way]
        guard let bytes = try Self.encrypted(user: "u", owner: "o", options) else { return }
        let signer = try Signer()
        let signed = try signer.sign(bytes, password: Self.password(password)) {
            $0.reason = "Důvod"
            $0.stamp = StampOptions()
            $0.stamp?.page = 1
        }
        #expect(signed.starts(with: bytes))
        let report = try signer.verify(signed, password: Self.password(password))
        #expect(report.verdict == .passed, "\(report)")
        #expect(report.signatures.first?.reason == "Důvod")
        #expect(report.signatures.first?.coverage == .wholeFile)
        try Self.judge(signed, password: password)

        let shown = try signer.show(signed, password: Self.password(password))
        #expect("\(shown.method), revision \(shown.revision)" == name)
        #expect(shown.openedAs == (password == "o" ? "owner" : "user"))
        #expect(shown.encryptsMetadata == !options.contains("--cleartext-metadata"))
    }

    @Test("the file identifier may have another notation, but no other value", arguments: [0, 1])
    func identifierNotation(change: UInt8) throws {
        guard let bytes = try Self.encrypted(user: "", owner: "o", ["128", "--use-aes=y"]) else {
            return
        }
        let signer = try Signer()
        let signed = try signer.sign(bytes)
        var options = PDFOptions()
        options.permitsEncryption = true
        let document = try PDFDocument(source: MemorySource(signed), options: options)
        let entry = document.trailer["ID"]?.arrayValue?.first
        let identifier = try #require(entry?.stringValue)
        let literal = identifier.map { byte in
            let digits = String(byte ^ change, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }.joined()
        let encryption = try #require(document.trailer["Encrypt"]?.referenceValue)
        let update = """
            xref
            0 1
            0000000000 65535 f\(" ")
            trailer
            <</Size \(document.highestObjectNumber + 1) /Root \(try document.catalogID.number) 0 R
            /Prev \(document.sections[0].offset) /Encrypt \(encryption.number) 0 R
            /ID [(\(literal)) (\(literal))]>>
            startxref
            \(signed.count)
            %%EOF

            """
        let report = try? signer.verify(signed + Array(update.utf8))
        #expect((report?.verdict == .passed) == (change == 0))
    }

    @Test("strings of the update are encrypted, the signature is not", arguments: [2, 6])
    func updateIsEncrypted(way: Int) throws {
        let options = Self.ways[way].options
        guard let bytes = try Self.encrypted(user: "", owner: "o", options) else { return }
        let signer = try Signer()
        let signed = try signer.sign(bytes) { $0.reason = "Plain reason" }
        let update = String(decoding: signed[bytes.count...], as: UTF8.self)
        for text in ["Plain reason", "Signature1", "D:2026"] { #expect(!update.contains(text)) }
        #expect(update.contains("/Contents <30"))
        #expect(try signer.verify(signed).verdict == .passed)
    }

    @Test("objects in object streams, and a second signature", arguments: [3, 6])
    func objectStreams(way: Int) throws {
        guard
            let bytes = try Self.encrypted(
                user: "", owner: "o", Self.ways[way].options, objectStreams: true)
        else { return }
        let signer = try Signer()
        let twice = try signer.sign(try signer.sign(bytes))
        let report = try signer.verify(twice)
        #expect(report.verdict == .passed, "\(report)")
        #expect(report.signatures.map(\.coverage) == [.revision, .wholeFile])
        #expect(report.signatures.map(\.changes) == [.formFilling, .none])
        try Self.judge(twice, password: "o")
    }

    @Test("a flipped byte is found in an encrypted document as in any other")
    func flippedByte() throws {
        guard let bytes = try Self.encrypted(user: "", owner: "o", ["256"]) else { return }
        let signer = try Signer()
        var signed = try signer.sign(bytes)
        // In the header's comment, which means nothing to a parser.
        signed[12] ^= 1
        #expect(try signer.verify(signed).verdict == .failed)
    }

    // MARK: Passwords

    @Test("no password is asked for when the empty one opens the document")
    func emptyUserPassword() throws {
        guard let bytes = try Self.encrypted(user: "", owner: "o", ["256"]) else { return }
        let password = DocumentPassword(asking: { _ in
            Issue.record("asked for a password")
            return Passphrase([])
        })
        let signer = try Signer()
        let signed = try signer.sign(bytes, password: password)
        #expect(try signer.verify(signed, password: password).verdict == .passed)
    }

    @Test("a missing or wrong password is a refused credential", arguments: 0..<Self.ways.count)
    func wrongPassword(way: Int) throws {
        let options = Self.ways[way].options
        guard let bytes = try Self.encrypted(user: "u", owner: "o", options) else { return }
        let signer = try Signer()
        for password in [nil, Self.password("x"), Self.password("")] {
            #expect(throws: SignetError(.credentialRefused, "")) {
                try signer.sign(bytes, password: password)
            }
            #expect(throws: SignetError(.credentialRefused, "")) {
                try signer.verify(bytes, password: password)
            }
        }
    }

    @Test("a password is asked for once, also for several documents")
    func askedOnce() throws {
        guard let bytes = try Self.encrypted(user: "u", owner: "o", ["256"]) else { return }
        let count = Counter()
        let password = DocumentPassword(asking: { _ in
            count.increment()
            return Passphrase(Array("u".utf8))
        })
        let signer = try Signer()
        let signed = try signer.sign(bytes, password: password)
        _ = try signer.verify(signed, password: password)
        #expect(count.value == 1)
    }

    // MARK: Permissions

    @Test(
        "permissions are honoured, the owner's password overrides them",
        arguments: [
            (["128", "--use-aes=y", "--modify=none"], false),
            (["128", "--use-aes=y", "--modify=form"], false),
            (["128", "--use-aes=y", "--modify=annotate"], false),
            (["256", "--modify=none"], false), (["256", "--modify=all"], true),
            (["40", "--annotate=n"], false), (["40", "--modify=n"], false), (["40"], true),
        ])
    func permissions(options: [String], mayAddField: Bool) throws {
        guard let bytes = try Self.encrypted(user: "", owner: "o", options) else { return }
        let signer = try Signer()
        if mayAddField {
            #expect(try signer.verify(signer.sign(bytes)).verdict == .passed)
        } else {
            #expect(throws: SignetError(.credentialRefused, "")) { try signer.sign(bytes) }
        }
        let signed = try signer.sign(bytes, password: Self.password("o"))
        #expect(try signer.verify(signed).verdict == .passed)
    }

    @Test("an existing field may be signed where filling in is permitted")
    func fillingExistingField() throws {
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R] /SigFlags 1>>",
            extraObjects: [
                "<</Type /Annot /Subtype /Widget /FT /Sig /T (Here) /Rect [0 0 0 0] /F 132>>"
            ])
        for (modify, isPermitted) in [("form", true), ("assembly", false)] {
            guard
                let bytes = try Self.encrypted(
                    user: "", owner: "o", ["256", "--modify=\(modify)"], sample)
            else { return }
            let signer = try Signer()
            if isPermitted {
                let report = try signer.verify(try signer.sign(bytes))
                #expect(report.verdict == .passed && report.signatures.first?.field == "Here")
            } else {
                #expect(throws: SignetError(.credentialRefused, "")) { try signer.sign(bytes) }
            }
        }
    }

    @Test("a MAC in a document that is not encrypted is refused")
    func integrityCode() throws {
        var bytes = SamplePDF().bytes
        let trailer = Array("/Root 1 0 R".utf8)
        let place = try #require(bytes.indices.last { bytes[$0...].starts(with: trailer) })
        bytes.insert(
            contentsOf: Array("/AuthCode <</MACLocation /Standalone /MAC <00>>> ".utf8), at: place)
        let signer = try Signer()
        #expect(throws: SignetError(.malformedInput, "")) { try signer.sign(bytes) }
    }

    // MARK: Damage

    /// Not all readers look into object streams when they search a file.
    @Test("a damaged cross-reference is repaired, but for object streams", arguments: [3, 6])
    func repaired(way: Int) throws {
        for objectStreams in [false, true] {
            guard
                var bytes = try Self.encrypted(
                    user: "u", owner: "o", Self.ways[way].options, objectStreams: objectStreams)
            else { return }
            let keyword = Array("startxref".utf8)
            let place = try #require(bytes.indices.last { bytes[$0...].starts(with: keyword) })
            // An offset behind the end.
            bytes.insert(contentsOf: Array("9".utf8), at: place + keyword.count + 1)
            let signer = try Signer()
            guard !objectStreams else {
                #expect(throws: SignetError(.malformedInput, "")) {
                    try signer.sign(bytes, password: Self.password("u"))
                }
                continue
            }
            let signed = try signer.sign(bytes, password: Self.password("u"))
            let report = try signer.verify(signed, password: Self.password("u"))
            #expect(report.verdict == .passed, "\(report)")
            try Self.judge(signed, password: "u")
        }
    }

    @Test("a damaged file that was encrypted is not signed as if it were not", arguments: [3, 6])
    func encryptionLost(way: Int) throws {
        guard let bytes = try Self.encrypted(user: "", owner: "o", Self.ways[way].options)
        else { return }
        for (old, new) in [("/Encrypt", "((Encry(("), ("trailer", "trailxx")] {
            var damaged = bytes
            let keyword = Array(old.utf8)
            guard let place = damaged.indices.last(where: { damaged[$0...].starts(with: keyword) })
            else { continue }
            damaged.replaceSubrange(place..<(place + keyword.count), with: Array(new.utf8))
            #expect(throws: SignetError(.malformedInput, "")) { try Signer().sign(damaged) }
        }
    }

    @Test(
        "damage to the encryption dictionary is refused or opens, never traps", arguments: [1, 6])
    func damagedDictionary(way: Int) throws {
        let options = Self.ways[way].options
        guard let bytes = try Self.encrypted(user: "", owner: "o", options) else { return }
        let signer = try Signer()
        let start = try #require(
            bytes.indices.last { bytes[$0...].starts(with: Array("/CFM".utf8)) }
                ?? bytes.indices.last { bytes[$0...].starts(with: Array("/Filter /Standard".utf8)) }
        )
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                damaged[start + Int.random(in: -40..<300, using: &generator)] =
                    UInt8.random(in: 32...126, using: &generator)
            }
            do {
                _ = try signer.sign(damaged)
            } catch let error as SignetError {
                #expect(error.code == .malformedInput || error.code == .credentialRefused)
            }
        }
    }
}

/// Counts calls.
private final class Counter: Sendable {
    private let state = Mutex(0)
    func increment() { state.withLock { $0 += 1 } }
    var value: Int { state.withLock { $0 } }
}
