import Foundation
import SignetTestSupport
import Testing

/// What a later import may change, and the stored files.
extension AnchorListTests {
    private static let trusted = "CKT_NSS_TRUSTED_DELEGATOR"

    /// A trust object of a certificate that the list distrusts.
    private func distrust(_ name: String, hash: [UInt8]? = nil) -> String {
        """
        CKA_CLASS CK_OBJECT_CLASS CKO_NSS_TRUST
        \(name)\(hash.map { "CKA_CERT_SHA1_HASH \(octets($0))" } ?? "")\
        CKA_TRUST_EMAIL_PROTECTION CK_TRUST CKT_NSS_NOT_TRUSTED

        """
    }

    private func object(_ certificate: [UInt8]) -> String {
        "CKA_CLASS CK_OBJECT_CLASS CKO_CERTIFICATE\nCKA_VALUE \(octets(certificate))\n"
    }

    /// A list that distrusts less is refused, and the result says what changed.
    @Test func namesTheChangesOfAList() throws {
        let lists = try Lists()
        let me = try lists.certificate("me.crt")
        let list = try certdata(lists, "EMAIL_PROTECTION", Self.trusted, "")
        let dated = try certdata(lists, "EMAIL_PROTECTION", Self.trusted, "491231235959Z")
        let record = distrust(name(of: me))
        let other =
            object(me) + "CKA_CLASS CK_OBJECT_CLASS CKO_NSS_TRUST\n" + name(of: me)
            + "CKA_TRUST_EMAIL_PROTECTION CK_TRUST \(Self.trusted)\n"
        let steps = [
            (dated, dated, ""),
            (dated, list, "distrust date 'Our CA'"),
            (list + object(me) + record, list + record, "distrusted certificate 'me'"),
            (list + record, list, "distrust record 'Our CA, serial number"),
        ]
        for (number, (before, after, lost)) in steps.enumerated() {
            try lists.workspace.write(before, to: "before.txt")
            try lists.workspace.write(after, to: "after.txt")
            try lists.signet("trust update --mozilla before.txt --force")
            let update: ShellWords = "trust update --mozilla after.txt"
            guard !lost.isEmpty else {
                #expect(try !lists.signet(update).output.contains("("))
                continue
            }
            let refused = try lists.signet(update, .invalid).errors
            #expect(refused.contains(lost) && refused.contains("--force"), "\(number): \(refused)")
            let forced = try lists.signet("\(update) --force")
            #expect(
                forced.output.contains("-1 \(lost)") && forced.errors.contains(lost),
                "\(number): \(forced.output)\(forced.errors)")
        }
        try lists.workspace.write(list + other, to: "more.txt")
        let more = try lists.signet("trust update --mozilla more.txt --json").json()
        #expect(more.added.count == 1 && more.removed.count == 0)
        try lists.workspace.write(list, to: "less.txt")
        let less = try lists.signet("trust update --mozilla less.txt", .invalid)
        #expect(less.errors.contains("1 of 2 trust anchors"))
        try lists.signet("trust update --mozilla less.txt --force")
        #expect(
            try lists.signet("trust update --mozilla more.txt").output
                .contains("(+1 trust anchor 'me')"))
    }

    /// A stored list that is missing cannot be compared.
    @Test func comparesOnlyWithAnIntactList() throws {
        let lists = try Lists()
        try lists.workspace.write(
            try certdata(lists, "EMAIL_PROTECTION", Self.trusted, ""), to: "list.txt")
        let update: ShellWords = "trust update --mozilla list.txt"
        try lists.signet(update)
        try lists.workspace.shell("rm $(find . -path '*/trust/mozilla/*.xml')").expect(.done)
        let refused = try lists.signet(update, .malformedInput)
        #expect(refused.errors.contains("trust update --mozilla FILE --force"))
        try lists.signet("\(update) --force")
        try lists.verify("mozilla")
    }

    /// Records that can match no certificate would distrust nothing.
    @Test(
        arguments: [
            ([0x30, 0x00], [0x02, 0x01, 0x01]), ([], [0x02, 0x81, 0x01, 0x01]),
            ([], [0x02, 0x01, 0x01, 0x00]), ([], [0x02, 0x02, 0x00, 0x01]), ([], [0x01]),
            ([0x31, 0x00], [0x02, 0x01, 0x01]),
        ] as [([UInt8], [UInt8])])
    func refusesRecordsOfNoCertificate(_ issuer: [UInt8], _ serial: [UInt8]) throws {
        let lists = try Lists()
        let issuer = issuer.isEmpty ? DERNode(try lists.authority)[0].children[5].bytes : issuer
        try lists.workspace.write(
            try certdata(lists, "EMAIL_PROTECTION", Self.trusted, "")
                + distrust(
                    "CKA_ISSUER \(octets(issuer))CKA_SERIAL_NUMBER \(octets(serial))"),
            to: "list.txt")
        let refused = try lists.signet("trust update --mozilla list.txt", .malformedInput)
        #expect(refused.errors.contains("by issuer and serial number"))
    }

    /// The hash of a record counts as well as its issuer and serial number.
    @Test func distrustsByHash() throws {
        let lists = try Lists()
        let me = try lists.certificate("me.crt")
        let issuer = DERNode(me)[0].children[3].bytes
        let hash = try lists.workspace.shell("openssl x509 -in me.crt -outform DER | sha1sum")
            .expect(.done).output.prefix(40)
        let bytes = stride(from: 0, to: 40, by: 2).map { index in
            UInt8(hash.dropFirst(index).prefix(2), radix: 16) ?? 0
        }
        try lists.workspace.write(
            try certdata(lists, "EMAIL_PROTECTION", Self.trusted, "") + object(me)
                + distrust(
                    "CKA_ISSUER \(octets(issuer))CKA_SERIAL_NUMBER \(octets([2, 1, 99]))",
                    hash: bytes), to: "list.txt")
        try lists.signet("trust update --mozilla list.txt")
        #expect(
            try lists.verify("mozilla", .indeterminate).output
                .contains("distrusts the certificate of 'me'"))
    }

    /// `--signer` names the signer; the list decides whether it is trusted.
    @Test func restrictsTheSignersOfAList() throws {
        let lists = try Lists()
        let list = try certdata(lists, "EMAIL_PROTECTION", Self.trusted, "")
        try lists.workspace.write(list, to: "list.txt")
        try lists.workspace.write(
            list + distrust(name(of: try lists.certificate("me.crt"))), to: "distrusted.txt")
        let verify: ShellWords =
            "verify hello.p7s --content hello.txt --trust-list mozilla --signer me.crt"
        for (file, code) in [("list.txt", ExitCode.done), ("distrusted.txt", .indeterminate)] {
            try lists.signet("trust update --mozilla \(file)")
            try lists.signet(verify, code)
        }
        try lists.signet("\(verify) --trust ca.crt")
    }

    /// Imported lists have no signer to confirm.
    @Test func refusesCertificatesWithoutEffect() throws {
        let lists = try Lists()
        try lists.workspace.write(
            try certdata(lists, "EMAIL_PROTECTION", Self.trusted, ""), to: "list.txt")
        try lists.signet("trust update --mozilla list.txt")
        for option in ["--trust-anchor", "--trust-list-cert"] {
            let refused = try lists.signet(
                """
                verify hello.p7s --content hello.txt --trust-list mozilla \(option) ca.crt
                """, .usage)
            #expect(refused.errors.contains("lists"), "\(refused.errors)")
        }
    }

    @Test func keepsStoredFilesPrivate() throws {
        let lists = try Lists()
        try lists.workspace.write(
            try certdata(lists, "EMAIL_PROTECTION", Self.trusted, ""), to: "list.txt")
        let update: ShellWords = "trust update --mozilla list.txt"
        try lists.signet(update)
        let folder = try lists.workspace.shell("dirname $(find . -path '*/mozilla/state.json')")
            .expect(.done).output.trimmingCharacters(in: .newlines)
        let open = try lists.workspace.shell("find \(folder) -type f -perm /077").expect(.done)
        #expect(open.output.isEmpty)
        // A damaged state, or a link in its place.
        for damage in ["echo x > state.json", "mv state.json s; ln -s s state.json"] {
            try lists.workspace.shell("cd \(folder) && \(damage)").expect(.done)
            #expect(try lists.verify("mozilla", .malformedInput).errors.contains("--force"))
            let refused = try lists.signet(update, .malformedInput)
            #expect(refused.errors.contains("trust update --mozilla FILE --force"))
            try lists.signet("trust list", .malformedInput)
            try lists.signet("\(update) --force")
            try lists.verify("mozilla")
        }
        try lists.workspace.shell(
            "cd \(folder) && for f in *.xml; do mv $f l; ln -s l $f; done"
        ).expect(.done)
        #expect(try lists.verify("mozilla", .malformedInput).errors.contains("symbolic link"))
        try lists.signet("\(update) --force")
        // Another program that works on the lists.
        let holder = try BackgroundServer(
            "/usr/bin/flock", ["\(folder)/lock", "sh", "-c", "echo held; sleep 60"],
            folder: lists.workspace.folder)
        let busy = try withExtendedLifetime(holder) {
            try lists.workspace.signet(update, environment: lists.workspace.environment)
        }
        #expect(busy.exitCode != .done)
        #expect(busy.errors.contains("waiting for another program"), "\(busy.errors)")
    }

    /// The signer's certificate names a CRL that is not asked for, and a document timestamp follows
    /// the signature. The message about a stranger's list names its problem.
    @Test func needsNoRevocationDataForAList() throws {
        guard let python = try PythonEnvironment.find("python") else { return }
        let lists = try Lists()
        let workspace = lists.workspace
        try lists.writeSettings()
        try lists.writeSignedSettings(python)
        try workspace.write(
            "[crl]\ncrlDistributionPoints=URI:http://localhost/none.crl\n", to: "crl.ext")
        try workspace.openssl("req -new -key me.pem -subj /CN=me -out me.csr")
        try workspace.openssl(
            """
            x509 -req -in me.csr -CA ca.crt -CAkey ca.pem -days 30 -extfile crl.ext \
            -extensions crl -out crl.crt
            """)
        try lists.signet("sign settings.pdf --key me.pem --cert crl.crt -o crl.pdf")
        try workspace.makeKey("tsa")
        try workspace.certify("tsa", profile: "tsa", key: "tsa.pem")
        let authority = try ServedAuthority(workspace)
        try lists.signet(
            "timestamp crl.pdf --tsa http://127.0.0.1:\(authority.port)/ -o stamped.pdf")
        for name in ["crl", "stamped"] {
            try lists.signet("trust update --aatl \(name).pdf --trust-anchor ca.crt")
            try lists.verify("aatl")
        }
        try workspace.succeed("cert create --key you.pem --subject CN=Other --ca -o other.crt")
        let unknown = try lists.signet(
            "trust update --aatl crl.pdf --trust-anchor other.crt", .credentialRefused)
        #expect(!unknown.errors.contains("revocation"), "\(unknown.errors)")
        // A second signature, and other content in the PDF.
        try lists.signet("sign crl.pdf --key you.pem --cert you.crt -o twice.pdf")
        let twice = try lists.signet(
            "trust update --aatl twice.pdf --trust-anchor ca.crt", .invalid)
        #expect(twice.errors.contains("exactly one signature"))
    }
}
