import ByteKit
import PAdES
import PDFCore
import SignetKit
import SignetTestSupport
import Testing

@Suite("Forms, certification and locks")
struct FormTests {
    /// A form with one empty signature field of the given further entries.
    private func sample(
        field: String, form: String = "", kids: [String] = []
    ) -> SamplePDF {
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

    /// Forms that ask viewers to draw their fields, and whether they do so when they are signed.
    private static let askingForms: [(String, asks: Bool)] = [
        ("/FT /Tx /V (Jana) /DA (/Helv 0 Tf 0 g)", false),
        ("/FT /Tx /V (Jana) /DA (/Helv 9 Tf 1 0 0 rg) /MK <</BG [1 1 0.5] /BC [0]>>", false),
        // mupdf shows the value, others the words for it.
        ("/FT /Ch /Ff 131072 /V (b) /Opt [[(b) (Bee)]] /DA (/Helv 0 Tf 0 g)", true),
        ("/FT /Tx", false),
        ("/FT /Btn /F 2", false),
        ("/FT /Tx /V (Jana) /Ff 4096 /DA (/Helv 0 Tf 0 g)", false),
        ("/FT /Tx /V (Jana) /Q 1 /DA (/Helv 0 Tf 0 g)", false),
        ("/FT /Tx /V (J\\341na) /DA (/Helv 0 Tf 0 g)", false),
        ("/FT /Ch /V (b) /Opt [[(a) (Ay)] [(b) (Bee)]] /DA (/Helv 6 Tf 0 g)", false),
        // How these would look is the viewers' own.
        ("/FT /Tx /V (J\\341na) /Q 1 /DA (/Mine 0 Tf 0 g)", true),
        ("/FT /Tx /V <FEFF0416> /DA (/Helv 0 Tf 0 g)", true),
        ("/FT /Tx /V (Jana) /Ff 8192 /DA (/Helv 0 Tf 0 g)", true),
        ("/FT /Tx /V (A long story that does not fit) /Ff 4096 /DA (/Helv 20 Tf)", true),
        ("/FT /Tx /V (Jana) /DA (/Other 0 Tf 0 g)", true),
        ("/FT /Tx /V (Jana)", true),
        ("/FT /Btn", true),
    ]

    @Test("fields get the looks that viewers are asked for", arguments: askingForms)
    func missingLooks(field: String, asks: Bool) throws {
        let signer = try Signer()
        let sample = SamplePDF(
            pageEntries: "/Annots [6 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R] /NeedAppearances true "
                + "/DR <</Font <</Helv 7 0 R /Mine 8 0 R>>>>>>",
            extraObjects: [
                "<</Subtype /Widget /T (name) /Rect [100 700 200 720] \(field)>>",
                "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>",
                "<</Type /Font /Subtype /Type1 /BaseFont /Mine>>",
            ])
        for isVisible in [false, true] {
            let signed = try signer.sign(sample.bytes) {
                guard isVisible else { return }
                var stamp = StampOptions()
                stamp.page = 1
                $0.stamp = stamp
            }
            let document = try PDFDocument(source: MemorySource(signed))
            #expect(try AcroForm(of: document).asksForAppearances == asks)
            let report = try signer.verify(signed)
            #expect(report.verdict == .passed, "\(report)")
            let field = try document.object(ObjectID(number: 6)).dictionaryValue ?? PDFDictionary()
            let look = try document.value(field, "AP").dictionaryValue?["N"]
            guard !asks, try document.value(field, "F") == .null else { continue }
            let stream = try #require(try document.resolve(look ?? .null).streamValue)
            let text = String(decoding: try document.decodedData(of: stream), as: UTF8.self)
            let shown = field["V"] == nil ? "" : field["Opt"] == nil ? "na) Tj" : "(Bee) Tj"
            #expect(text.contains(shown), "\(text)")
        }
    }

    /// A form that asks viewers to draw its only field, which has a look with a content.
    private func asking(_ field: String, _ content: String, states: Bool = false) -> SamplePDF {
        SamplePDF(
            pageEntries: "/Annots [6 0 R] /MediaBox [0 0 595 842]",
            catalogEntries: "/AcroForm <</Fields [6 0 R] /NeedAppearances true "
                + "/DR <</Font <</Helv 7 0 R>>>>>>",
            extraObjects: [
                "<</Subtype /Widget /T (name) /Rect [100 700 200 720] /DA (/Helv 9 Tf 0 g) \(field) "
                    + "/AP <</N \(states ? "<</Yes 8 0 R>>" : "8 0 R")>>>>",
                "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>",
                "<</Subtype /Form /BBox [0 0 100 20] /Resources <</Font <</Helv 7 0 R>>>> "
                    + "/Length \(content.utf8.count)>>\nstream\n\(content)\nendstream",
            ])
    }

    /// Looks that viewers pass over when they are asked to draw the fields, and whether they still
    /// are asked when the form is signed.
    private static let passedOverLooks: [(field: String, look: String, asks: Bool)] = [
        // Just what viewers draw.
        ("/FT /Tx /V (100)", "2 7 Td (100)", false),
        ("/FT /Btn /Ff 65536 /MK <</CA (Pay)>>", "42 7 Td (Pay)", false),
        ("/FT /Tx /MK <</BG [1]>>", "ET 1 g 0 0 100 20 re f BT", false),
        // Something else, or in another place.
        ("/FT /Tx /V (100)", "2 7 Td (900)", true),
        ("/FT /Tx /V (not)", "60 7 Td (not)", true),
        ("/FT /Ch /Ff 131072 /V (100)", "2 7 Td (900)", true),
        ("/FT /Btn /V /Yes /AS /Yes", "2 7 Td (Pay 900)", true),
        ("/FT /Btn /V /Yes /AS /Off", "2 7 Td (Pay 900)", true),
        ("/FT /Btn /Ff 65536 /MK <</CA (Pay)>>", "42 7 Td (Bay)", true),
        ("/FT /Btn /Ff 65536 /MK <</CA (Pay)>>", "2 7 Td (Pay)", true),
        ("/FT /Sig", "2 7 Td (Signed)", true),
        // A ground that hides what the page says.
        ("/FT /Tx", "ET 1 g 0 0 100 20 re f BT", true),
        ("/FT /Tx /V (100)", "ET 1 g 0 0 100 20 re f 0 g BT /Helv 9 Tf 2 7 Td (100)", true),
        ("/FT /Btn /Ff 65536", "ET 0 g 0 0 100 20 re f BT", true),
    ]

    /// Which of them show something else than the value is, so that readers that do not draw fields
    /// show the one and those that do the other.
    private static let otherLooks: Set<Int> = [3, 5, 7, 8]

    @Test("signing changes no look that viewers passed over", arguments: passedOverLooks.indices)
    func passedOver(index: Int) throws {
        let (field, look, asks) = Self.passedOverLooks[index]
        let content = "BT /Helv 9 Tf \(look) \(look.hasSuffix(")") ? "Tj " : "")ET"
        let signer = try Signer()
        let states = field.contains("/AS")
        let signed = try signer.sign(asking(field, content, states: states).bytes) {
            $0.field = .new("Mine")
        }
        let document = try PDFDocument(source: MemorySource(signed))
        #expect(try AcroForm(of: document).asksForAppearances == asks)
        let verdict = try signer.verify(signed).verdict
        #expect(verdict == (Self.otherLooks.contains(index) ? .indeterminate : .passed))
        let widget = try #require(try document.object(ObjectID(number: 6)).dictionaryValue)
        let entry = try #require(try document.value(widget, "AP").dictionaryValue?["N"])
        let form = states ? try document.resolve(entry).dictionaryValue?["Yes"] : entry
        #expect(form == .reference(ObjectID(number: 8)))
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

    @Test("a document that is signed already cannot be certified")
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

    @Test("a field's own lock is applied")
    func ownLock() throws {
        let signer = try Signer()
        let sample = sample(
            field: "/Lock <</Type /SigFieldLock /Action /Exclude /Fields [(Name)]>>")
        let refused = error { _ = try signer.sign(sample.bytes) }
        #expect(refused?.code == .usage && refused?.names(.lock, "except:Name") == true)
        let signed = try signer.sign(sample.bytes) { $0.lock = .except(["Name"]) }
        let text = String(decoding: signed, as: UTF8.self)
        #expect(text.contains("/FieldMDP") && text.contains("/Exclude"))
        #expect(try signer.verify(signed).verdict == .passed)
        #expect(
            error { _ = try signer.sign(sample.bytes) { $0.lock = .all } }?.code == .usage)
    }

    @Test("a lock of all but nothing is one of all, and a lock of nothing is none")
    func lockWithoutNames() throws {
        let signer = try Signer()
        let all = sample(field: "/Lock <</Type /SigFieldLock /Action /Exclude /Fields []>>").bytes
        let refused = error { _ = try signer.sign(all) }
        #expect(refused?.names(.lock, "all") == true, "\(refused as Any)")
        #expect(try signer.verify(try signer.sign(all) { $0.lock = .all }).verdict == .passed)
        let lock = "/Lock <</Type /SigFieldLock /Action /Include /Fields []"
        let none = try signer.sign(sample(field: "\(lock)>>").bytes)
        #expect(try signer.verify(none).verdict == .passed)
        let level = sample(field: "\(lock) /P 1>>").bytes
        #expect(error { _ = try signer.sign(level) }?.names(.lockLevel, "no-changes") == true)
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
        for level in [nil, .formFilling, .annotations] as [DocMDPPermission?] {
            let refused = error {
                _ = try signer.sign(strict) {
                    agree(&$0)
                    $0.lockLevel = level
                }
            }
            #expect(
                level == nil
                    ? refused?.names(.lockLevel, "no-changes") == true
                    : refused?.message.contains("no-changes") == true, "\(refused as Any)")
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
        _ = try signer.sign(
            sample(field: field, kids: [kid.replacing(widget, with: "")]).bytes)
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

    /// A seed value, the setting that agrees to it, and what is in the signature then.
    struct Demand: Sendable {
        let seed: String
        let setting: Wording.Setting
        let value: String
        let expected: String
        let agree: @Sendable (inout SigningOptions) -> Void
    }

    static let demands = [
        Demand(
            seed: "/SubFilter [/adbe.pkcs7.detached] /Ff 2",
            setting: .subfilter, value: "adbe.pkcs7.detached", expected: "/adbe.pkcs7.detached"
        ) { $0.subFilter = .pkcs7 },
        Demand(
            seed: "/Reasons [(I owe it)] /Ff 8", setting: .reason, value: "I owe it",
            expected: "I owe"
        ) {
            $0.reason = "I owe it"
        },
        Demand(
            seed: "/Reasons [(it's; rm -r ~)] /Ff 8", setting: .reason, value: "it's; rm -r ~",
            expected: "it's"
        ) { $0.reason = "it's; rm -r ~" },
        Demand(
            seed: "/DigestMethod [(SHA512)] /Ff 64", setting: .digest, value: "sha512", expected: ""
        ) {
            $0.digest = .sha512
        },
        Demand(
            seed: "/MDP <</P 2>>", setting: .certification, value: "form-filling",
            expected: "/DocMDP"
        ) {
            $0.certification = .formFilling
        },
        Demand(
            seed: "/LockDocument /true /Ff 128", setting: .certification, value: "no-changes",
            expected: "/DocMDP"
        ) { $0.certification = .noChanges },
    ]

    @Test(
        "what a seed value puts into the signature has to be agreed to", arguments: demands.indices)
    func demandedByTheField(index: Int) throws {
        let demand = Self.demands[index]
        let signer = try Signer()
        let bytes = sample(field: "/SV <</Type /SV \(demand.seed)>>").bytes
        let refused = error { _ = try signer.sign(bytes) }
        #expect(refused?.code == .usage)
        #expect(
            refused?.names(demand.setting, demand.value) == true, "\(refused?.hint ?? "")")
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
        sample.objects.append(
            "<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Annots 7 0 R>>")
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
