import Base
import SignetKit
import SignetTestSupport
import Testing

@Suite("The library in programs of others")
struct LibraryUseTests {
    @Test("signs bytes in memory with a signer of one's own, and verifies the result")
    func memory() throws {
        struct Vault: SignetKit.Signer {
            let key: SigningCredential
            var certificates: [[UInt8]] { key.certificates }
            func sign(_ input: SigningInput, with algorithm: SigningAlgorithm) throws -> [UInt8] {
                try key.sign(input, with: algorithm)
            }
        }
        let owner = try Signer()
        let credential = try SigningCredential(signer: Vault(key: owner.credential), name: "vault")
        let signed = OutputBytes()
        var options = SigningOptions()
        options.claimedTime = Signer.signingTime
        let document = try SignDocument(credential: credential, options: options)
            .run(.bytes(SamplePDF().bytes, name: "contract"), into: Destination(signed))
        #expect(document.file == "contract" && document.level == .b)

        let verify = try VerifyDocument(
            VerificationOptions(trust: [owner.certificateFile], time: Signer.signingTime))
        #expect(try verify.run(.bytes(signed.bytes)).verdict == .passed)
        var changed = signed.bytes
        changed[changed.count / 4] ^= 1
        #expect(try verify.run(.bytes(changed)).verdict != .passed)
    }

    @Test("pictures in memory become a document in memory, which is shown")
    func photos() throws {
        // A grey pixel.
        let picture = try #require(
            Base64.decode(
                Array(
                    ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJ"
                        + "RU5ErkJggg==").utf8)))
        let document = OutputBytes()
        let made = try ConvertPhotos(options: ConversionOptions(), now: Signer.signingTime).run(
            [.bytes(picture, name: "one"), .bytes(picture, name: "two")],
            into: Destination(document))
        #expect(made.pages.map(\.file) == ["one", "two"])
        let shown = try ShowFile(passphrase: .environment("UNSET")).run(.bytes(document.bytes))
        guard case .pdf(let pdf)? = shown.first else {
            Issue.record("\(shown)")
            return
        }
        #expect(pdf.pages == 2 && pdf.file == "document")
        let photo = try ShowFile(passphrase: .environment("UNSET")).run(.bytes(picture))
        guard case .photo(let facts)? = photo.first else {
            Issue.record("\(photo)")
            return
        }
        #expect(facts.format == "PNG" && facts.width == 1)
    }

    @Test("requests and hashes are of content in memory")
    func timestamps() throws {
        let owner = try Signer()
        let (content, request) = (Array("what was agreed".utf8), OutputBytes())
        let asked = try CreateTimestampRequest().run(
            .content(.bytes(content)), into: Destination(request))
        let hash = try DigestFile().run(.bytes(content, name: "agreement"))
        #expect(hash.file == "agreement" && hash.value == asked.imprint)
        let shown = try ShowFile(passphrase: .environment("UNSET")).run(.bytes(request.bytes))
        guard case .timestampRequest(let read)? = shown.first else {
            Issue.record("\(shown)")
            return
        }
        #expect(read.imprint == asked.imprint && read.nonce == asked.nonce)
        // What is none is refused by its name in memory.
        #expect(throws: SignetError(.malformedInput, "")) {
            try VerifyTimestamp(
                VerificationOptions(trust: [owner.certificateFile], time: Signer.signingTime)
            ).run(.bytes(request.bytes, name: "reply"), content: .bytes(content))
        }
    }

    @Test(
        "times are written as RFC 3339 has them, within the years that it knows",
        arguments: [
            ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z"),
            ("2026-11-21", "2026-11-21T00:00:00Z"),
            ("2026-11-21T01:00:00+02:00", "2026-11-20T23:00:00Z"), ("9999", nil), ("", nil),
        ])
    func moments(text: String, written: String?) throws {
        let moment = Moment(rfc3339: text)
        #expect(moment?.description == written)
        guard let moment else { return }
        #expect(Moment(secondsSinceEpoch: moment.secondsSinceEpoch) == moment)
        #expect(moment < moment.adding(.seconds(1)))
        #expect(moment.adding(.seconds(Int.max)).day == "9999-12-31")
    }

    @Test("pages of a document in memory are drawn")
    func pages() throws {
        guard try ExternalTool.find("pdftoppm") != nil else { return }
        let owner = try Signer()
        var options = SigningOptions()
        options.claimedTime = Signer.signingTime
        var stamp = StampOptions()
        stamp.page = 1
        options.stamp = stamp
        let signed = OutputBytes()
        _ = try SignDocument(credential: owner.credential, options: options)
            .run(.bytes(SamplePDF().bytes), into: Destination(signed))
        var verify = try VerifyDocument(
            VerificationOptions(trust: [owner.certificateFile], time: Signer.signingTime))
        verify.keepsHash = true
        let report = try verify.run(.bytes(signed.bytes))
        let drawn = try DrawPages().run(.bytes(signed.bytes), report)
        #expect(drawn.program == "poppler" && drawn.remarks.isEmpty, "\(drawn.remarks)")
        #expect(drawn.pages.map(\.number) == [1] && drawn.pages.first?.marks.count == 1)
        // The pages are those of what was verified.
        #expect(throws: SignetError(.inputOutput, "")) {
            try DrawPages().run(.bytes(SamplePDF().bytes), report)
        }
    }

    @Test("outputs that were there before are doubted for a reason")
    func existing() throws {
        let owner = try Signer()
        let input = SamplePDF().bytes
        let signed = try owner.sign(input)
        let given = owner.folder.file("given.pdf", input)
        let existing = ExistingOutput(of: .signature(by: owner.credential))
        func doubt(_ output: [UInt8]) -> ExistingOutput.Doubt? {
            existing.doubt(
                about: owner.folder.file("made.pdf", output), of: given, isDocument: true)
        }
        #expect(doubt(signed) == nil)
        #expect(doubt(input) == .unsigned)
        #expect(doubt(Array(signed.dropFirst())) == .otherBeginning)
        let none = owner.folder.file("none.pdf")
        #expect(existing.doubt(about: none, of: given, isDocument: true) == .unreadable)
        let text = owner.folder.file("given.txt", Array("text".utf8))
        for work in [ExistingOutput.Work.signature(by: owner.credential), .timestamp] {
            let doubt = ExistingOutput(of: work).doubt(about: text, of: text, isDocument: false)
            #expect(doubt == .unreadable)
        }
        let stamped = ExistingOutput(of: .timestamp)
        let made = owner.folder.file("made.pdf", signed)
        #expect(stamped.doubt(about: made, of: given, isDocument: true) == .unsigned)
    }

    @Test("kinds of files are told in memory")
    func kinds() throws {
        #expect(try FileKind.of(.bytes(SamplePDF().bytes)) == .pdf)
        #expect(try FileKind.of(.bytes([0xFF, 0xD8, 0xFF, 0xE0])) == .photo)
        #expect(try VerifiedKind.of(.bytes(SamplePDF().bytes), hasContent: false) == .document)
    }

    @Test("messages in memory cover content in memory")
    func message() throws {
        let owner = try Signer()
        let (content, message) = (Array("what was agreed".utf8), OutputBytes())
        var task = SignMessage(credential: owner.credential)
        task.claimedTime = Signer.signingTime
        _ = try task.run(.bytes(content), into: Destination(message))
        let verify = try VerifyMessage(
            VerificationOptions(trust: [owner.certificateFile], time: Signer.signingTime))
        let released = OutputBytes()
        let report = try verify.run(
            .bytes(message.bytes), content: .bytes(content), into: Destination(released))
        #expect(report.verdict == .passed && released.bytes == content)
        let other = try verify.run(
            .bytes(message.bytes), content: .bytes(content + [0]), into: Destination(released))
        #expect(other.verdict == .failed)
        #expect(throws: SignetError(.missingInput, "")) { try verify.run(.bytes(message.bytes)) }
    }
}
