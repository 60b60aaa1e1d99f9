import Base
import PDFCore
import PDFSigning
import SignetKit
import SignetTestSupport
import Testing

@Suite("Forms, certification and locks")
struct FormTests {
    /// A form with one empty signature field of the given further entries.
    private func sample(field: String, form: String = "", kids: [String] = []) -> SamplePDF {
        SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R] \(form)>>",
            extraObjects: ["<</FT /Sig /T (Approval) \(field)>>"] + kids)
    }

    private func error(_ body: () throws -> Void) -> SignetError? {
        do {
            try body()
            return nil
        } catch { return error as? SignetError }
    }

    @Test("fields of others keep their appearances and /NeedAppearances", arguments: [false, true])
    func appearancesOfOthers(isVisible: Bool) throws {
        let signer = try Signer()
        let field =
            "<</Subtype /Widget /FT /Tx /T (name) /V (Jana) /DA (/Helv 9 Tf 0 g) /Rect [9 9 99 29]>>"
        let sample = SamplePDF(
            pageEntries: "/Annots [6 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R] /NeedAppearances true>>",
            extraObjects: [field])
        let signed = try signer.sign(sample.bytes) {
            guard isVisible else { return }
            var stamp = StampOptions()
            stamp.page = 1
            $0.stamp = stamp
        }
        let document = try PDFDocument(source: MemorySource(signed))
        #expect(try AcroForm(of: document).asksForAppearances)
        let name = try document.object(ObjectID(number: 6)).dictionaryValue
        #expect(name?["AP"] == nil && name?["V"] != nil)
        #expect(try signer.verify(signed).verdict == .passed)
    }

    @Test("a certified document", arguments: DocMDPPermission.allCases)
    func certification(kind: DocMDPPermission) throws {
        let signer = try Signer()
        let certified = try signer.sign(SamplePDF().bytes) { $0.certification = kind }
        let report = try signer.verify(certified)
        #expect(report.verdict == .passed, "\(report)")
        #expect(report.signatures.first?.certification == kind)

        // One certification is enough.
        #expect(error { _ = try signer.sign(certified) { $0.certification = kind } } != nil)
        // A further signature, invisible, unless the certification permits nothing.
        if kind == .noChanges {
            #expect(error { _ = try signer.sign(certified) }?.code == .malformedInput)
        } else {
            let twice = try signer.verify(try signer.sign(certified))
            #expect(twice.verdict == .passed, "\(twice)")
        }
        // A visible one would count as a change in every validator.
        let visible = error {
            _ = try signer.sign(certified) {
                var stamp = StampOptions()
                stamp.page = 1
                $0.stamp = stamp
            }
        }
        #expect(visible?.code == .malformedInput)
    }

    @Test("a document that is already signed cannot be certified")
    func lateCertification() throws {
        let signer = try Signer()
        let signed = try signer.sign(SamplePDF().bytes)
        let error = error { _ = try signer.sign(signed) { $0.certification = .formFilling } }
        #expect(error?.code == .malformedInput)
    }

    @Test("a locked field cannot be signed, others can")
    func lock() throws {
        let signer = try Signer()
        let sample = SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R 7 0 R 8 0 R]>>",
            extraObjects: ["A", "B", "C"].map { "<</FT /Sig /T (\($0))>>" })
        let locked = try signer.sign(sample.bytes) {
            $0.field = .named("A")
            $0.lock = .only(["B"])
        }
        #expect(error { _ = try signer.sign(locked) { $0.field = .named("B") } } != nil)
        let twice = try signer.sign(locked) { $0.field = .named("C") }
        let report = try signer.verify(twice)
        #expect(report.verdict == .passed, "\(report)")
    }

    @Test("a field's own lock is applied without consent")
    func ownLock() throws {
        let signer = try Signer()
        let sample = sample(
            field: "/Lock <</Type /SigFieldLock /Action /Exclude /Fields [(Name)]>>")
        for lock in [nil, SignatureLock.except(["Name"])] {
            let signed = try signer.sign(sample.bytes) { $0.lock = lock }
            let text = String(decoding: signed, as: UTF8.self)
            #expect(text.contains("/FieldMDP") && text.contains("/Exclude"))
            #expect(try signer.verify(signed).verdict == .passed)
        }
        #expect(error { _ = try signer.sign(sample.bytes) { $0.lock = .all } }?.code == .usage)
    }

    @Test("a lock of all but nothing is one of all, and a lock of nothing is none")
    func lockWithoutNames() throws {
        let signer = try Signer()
        let all = sample(field: "/Lock <</Type /SigFieldLock /Action /Exclude /Fields []>>").bytes
        for lock in [nil, SignatureLock.all] {
            let signed = try signer.verify(try signer.sign(all) { $0.lock = lock })
            #expect(signed.verdict == .passed && signed.signatures.first?.lock?.scope == .all)
        }
        let lock = "/Lock <</Type /SigFieldLock /Action /Include /Fields []"
        let none = try signer.sign(sample(field: "\(lock)>>").bytes)
        #expect(try signer.verify(none).verdict == .passed)
    }

    /// The lock's /P holds for the whole document, not for fields.
    @Test(
        "what an earlier signature's lock permits",
        arguments: ["/Action /All /P 1", "/P 1", "/Action /Include /Fields [(Name)] /P 1"])
    func lockPermission(lock: String) throws {
        let signer = try Signer()
        func agree(_ options: inout SigningOptions) {
            options.lock = lock.contains("Include") ? .only(["Name"]) : .all
            options.lockLevel = .noChanges
        }
        let strict = sample(field: "/Lock <</Type /SigFieldLock \(lock)>>").bytes
        for level in [.formFilling, .annotations] as [DocMDPPermission] {
            let refused = error {
                _ = try signer.sign(strict) {
                    agree(&$0)
                    $0.lockLevel = level
                }
            }
            #expect(refused?.message.contains("no-changes") == true, "\(refused as Any)")
        }
        let signed = try signer.sign(strict, agree)
        #expect(error { _ = try signer.sign(signed) }?.code == .malformedInput)
        let looser = try signer.sign(
            sample(
                field: "/Lock <</Type /SigFieldLock \(lock.replacing("/P 1", with: "/P 2"))>>"
            ).bytes
        ) {
            agree(&$0)
            $0.lockLevel = .formFilling
        }
        let twice = try signer.verify(try signer.sign(looser))
        #expect(twice.verdict == .passed)
    }

    /// The stricter one holds.
    @Test("a lock that permits more than its signature's own certification")
    func lockBesideCertification() throws {
        let signer = try Signer()
        let signed = try signer.sign(
            sample(field: "/Lock <</Type /SigFieldLock /Action /All /P 2>>").bytes
        ) {
            $0.lock = .all
            $0.lockLevel = .formFilling
            $0.certification = .noChanges
        }
        #expect(try signer.verify(signed).verdict == .passed)
        #expect(error { _ = try signer.sign(signed) }?.code == .malformedInput)
    }

    @Test("a level is agreed to only where a lock has one")
    func lockLevelWithoutLock() throws {
        let signer = try Signer()
        for (bytes, code) in [
            (SamplePDF().bytes, SignetError.Code.usage),
            (sample(field: "").bytes, .malformedInput),
            (sample(field: "/Lock <</P 7>>").bytes, .malformedInput),
        ] {
            let refused = error { _ = try signer.sign(bytes) { $0.lockLevel = .noChanges } }
            #expect(refused?.code == code)
        }
        // The loosest level limits nothing.
        _ = try signer.sign(sample(field: "/Lock <</P 3>>").bytes) { $0.lock = .all }
    }

    @Test(
        "what a field demands is not passed over where only some readers find it",
        arguments: [
            ("/Lock [<</Action /All>>]", ""), ("/Lock (x)", ""),
            ("/Lock <</Action /All /P 1.0>>", ""),
            ("/Lock <</Action /All /P (1)>>", ""), ("/SV [<</Ff 8 /Reasons [(a)]>>]", ""),
            ("/SV 7", ""), ("/Kids [7 0 R]", "/Lock <</Action /All /P 1>>"),
            ("/Kids [7 0 R]", "/SV <</Ff 8 /Reasons [(a)]>>"),
        ])
    func oddDemands(field: String, widget: String) throws {
        let signer = try Signer()
        let kid = "<</Subtype /Widget /Parent 6 0 R /Rect [0 0 0 0] \(widget)>>"
        let bytes = sample(field: field, kids: [kid]).bytes
        #expect(error { _ = try signer.sign(bytes) { $0.lock = .all } }?.code == .malformedInput)
        guard !widget.isEmpty else { return }
        _ = try signer.sign(sample(field: field, kids: [kid.replacing(widget, with: "")]).bytes)
    }

    @Test(
        "what a field above demands is not passed over, which some readers obey",
        arguments: ["/Lock <</Action /All /P 1>>", "/SV <</Ff 8 /Reasons [(a)]>>"])
    func demandsAbove(demand: String) throws {
        let signer = try Signer()
        func bytes(_ demand: String) -> [UInt8] {
            SamplePDF(
                catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
                extraObjects: [
                    "<</T (All) /Kids [7 0 R] \(demand)>>",
                    "<</FT /Sig /T (Approval) /Parent 6 0 R>>",
                ]
            ).bytes
        }
        let refused = error { _ = try signer.sign(bytes(demand)) { $0.lock = .all } }
        #expect(refused?.code == .malformedInput)
        _ = try signer.sign(bytes(""))
    }

    @Test(
        "seed values that cannot be met are refused",
        arguments: [
            "/Filter /Other.Handler /Ff 1", "/SubFilter [/adbe.x509.rsa_sha1] /Ff 2",
            "/V 9 /Ff 4", "/AddRevInfo true /Ff 32",
            "/DigestMethod [(SHA1)] /Ff 64", "/TimeStamp <</URL (http://x) /Ff 1>>",
            "/Cert <</Subject [<3000>] /Ff 1>>", "/Cert <</KeyUsage [(XXXXX1)] /Ff 32>>",
            "/Cert <</SubjectDN [<</CN (Somebody)>>] /Ff 8>>",
            // By what is not known, or cannot be read.
            "/DigestMethod [/SHA1] /Ff 64", "/DigestMethod <</A 1>> /Ff 64", "/Ff 65536 /Foo 1",
            "/Ff (64)", "/Filter (Other) /Ff 1", "/LockDocument true /Ff 128", "/MDP <</P (1)>>",
            "/Cert <</URL (http://x) /Ff 64>>", "/Cert <</Subject [/A] /Ff 1>>",
            "/Cert <</SubjectDN [(CN=Somebody)] /Ff 8>>", "/Cert <</Issuer [<3000>] /Ff 2>>",
            "/Cert <</Ff 1024>>", "/MDP 2", "/MDP [<</P 2>>]",
            "/Cert [<</Ff 1>>]", "/TimeStamp (x)",
        ])
    func unmetSeedValue(seed: String) throws {
        let signer = try Signer()
        let sample = sample(field: "/SV <</Type /SV \(seed)>>")
        #expect(error { _ = try signer.sign(sample.bytes) }?.code == .malformedInput)
    }

    /// A seed value, the option that agrees to it, and what is in the signature then.
    struct Demand: Sendable {
        let seed: String
        let option: String
        let value: String
        let expected: String
        let agree: @Sendable (inout SigningOptions) -> Void
    }

    static let demands = [
        Demand(
            seed: "/SubFilter [/adbe.pkcs7.detached] /Ff 2",
            option: "subfilter", value: "adbe.pkcs7.detached", expected: "/adbe.pkcs7.detached"
        ) { $0.subFilter = .pkcs7 },
        Demand(
            seed: "/Reasons [(I owe it)] /Ff 8", option: "reason", value: "I owe it",
            expected: "I owe"
        ) { $0.reason = "I owe it" },
        Demand(
            seed: "/Reasons [(it's; rm -r ~)] /Ff 8", option: "reason", value: "it's; rm -r ~",
            expected: "it's"
        ) { $0.reason = "it's; rm -r ~" },
        Demand(
            seed: "/DigestMethod [(SHA512)] /Ff 64", option: "digest", value: "sha512", expected: ""
        ) {
            $0.digest = .sha512
        },
        Demand(
            seed: "/MDP <</P 2>>", option: "certify", value: "form-filling",
            expected: "/DocMDP"
        ) {
            $0.certification = .formFilling
        },
        Demand(
            seed: "/LockDocument /true /Ff 128", option: "certify", value: "no-changes",
            expected: "/DocMDP"
        ) { $0.certification = .noChanges },
    ]

    @Test(
        "what a seed value puts into the signature has to be agreed to", arguments: demands.indices)
    func demandedByTheField(index: Int) throws {
        let demand = Self.demands[index]
        let signer = try Signer()
        let bytes = sample(field: "/SV <</Type /SV \(demand.seed)>>").bytes
        // Only the signer can agree to a reason or a certification.
        if ["reason", "certify"].contains(demand.option) {
            let refused = error { _ = try signer.sign(bytes) }
            #expect(refused?.code == .usage)
            #expect(refused?.hint == Sentence(.agreeToField, demand.option, demand.value))
        } else {
            #expect(try signer.verify(signer.sign(bytes)).verdict == .passed)
        }
        let signed = try signer.sign(bytes, demand.agree)
        #expect(
            String(decoding: signed, as: UTF8.self).contains(demand.expected)
                || demand.expected.isEmpty)
        #expect(try signer.verify(signed).verdict == .passed)
    }

    @Test(
        "seed values that change nothing are honoured",
        arguments: [
            "/SubFilter [/adbe.x509.rsa_sha1]",
            "/SubFilter [/adbe.pkcs7.detached /ETSI.CAdES.detached] /Ff 2",
            "/DigestMethod [(SHA512) (SHA256)] /Ff 64", "/Cert <</KeyUsage [(11XXXXXXX)] /Ff 32>>",
            "/Reasons [(Seen)]",
        ])
    func metSeedValue(seed: String) throws {
        let signer = try Signer()
        let signed = try signer.sign(sample(field: "/SV <</Type /SV \(seed)>>").bytes)
        #expect(String(decoding: signed, as: UTF8.self).contains("/ETSI.CAdES.detached"))
        let report = try signer.verify(signed)
        #expect(report.verdict == .passed, "\(report)")
    }

    @Test("a reason that the field does not offer is refused")
    func reason() throws {
        let signer = try Signer()
        let sample = sample(field: "/SV <</Reasons [(One) (Two)] /Ff 8>>")
        _ = try signer.sign(sample.bytes) { $0.reason = "Two" }
        #expect(error { _ = try signer.sign(sample.bytes) { $0.reason = "Three" } } != nil)
    }

    @Test("nested names and split widgets")
    func nestedField() throws {
        let signer = try Signer()
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [8 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<</T (Part) /Kids [7 0 R]>>",
                "<</FT /Sig /T (Approval) /Parent 6 0 R /Kids [8 0 R]>>",
                """
                <</Type /Annot /Subtype /Widget /Parent 7 0 R /P 3 0 R /Rect [50 50 250 120] /F 4>>
                """,
            ])
        let signed = try signer.sign(sample.bytes)
        let report = try signer.verify(signed)
        #expect(report.verdict == .passed, "\(report)")
        #expect(report.signatures.map(\.field) == ["Part.Approval"])
        let twice = try signer.sign(sample.bytes) { $0.field = .named("Part.Approval") }
        #expect(try signer.verify(twice).verdict == .passed)
    }

    @Test(
        "the form and the annotations wherever they stand",
        arguments: [
            "/AcroForm 6 0 R", "/AcroForm <</Fields []>>", "", "/AcroForm <</Fields 7 0 R>>",
        ], ["", "/Annots 8 0 R", "/Annots []"])
    func places(form: String, annotations: String) throws {
        let signer = try Signer()
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] \(annotations)", catalogEntries: form,
            extraObjects: ["<</Fields []>>", "[]", "[]"])
        let once = try signer.sign(sample.bytes)
        let twice = try signer.sign(once)
        let report = try signer.verify(twice)
        #expect(report.verdict == .passed, "\(report)")
        #expect(report.signatures.count == 2)
    }

    @Test("an annotation array that two pages share keeps the signature on one")
    func sharedAnnotations() throws {
        let signer = try Signer()
        var sample = SamplePDF(pageEntries: "/MediaBox [0 0 595 842] /Annots 7 0 R")
        sample.objects[1] = "<</Type /Pages /Kids [3 0 R 6 0 R] /Count 2>>"
        sample.objects.append("<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Annots 7 0 R>>")
        sample.objects.append("[]")
        let signed = try signer.sign(sample.bytes)
        #expect(try signer.verify(signed).verdict == .passed)
        let update = String(decoding: signed[sample.bytes.count...], as: UTF8.self)
        #expect(update.contains("\n3 0 obj") && !update.contains("\n7 0 obj"))
    }

    @Test("a dynamic XFA form is refused by name")
    func dynamicXFA() throws {
        let signer = try Signer()
        let sample = SamplePDF(
            catalogEntries: "/NeedsRendering true /AcroForm <</Fields [] /XFA (x)>>")
        let error = error { _ = try signer.sign(sample.bytes) }
        #expect(error?.code == .malformedInput && error?.message.contains("XFA") == true)
    }
}
