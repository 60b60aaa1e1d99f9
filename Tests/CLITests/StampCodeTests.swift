import Foundation
import SignetTestSupport
import Testing

@Suite struct StampCodeTests {
    private static let sign = [
        "sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem", "--force",
    ]
    private static let long = String(repeating: "a/b+c=", count: 40)

    /// The texts of the codes on the first page, by each renderer at 200 dpi; nil without the tools.
    private func codes(_ workspace: Workspace) throws -> [String]? {
        guard let reader = try ExternalTool.find("zbarimg"),
            let poppler = try ExternalTool.find("pdftoppm"),
            let mupdf = try ExternalTool.find("mutool")
        else { return nil }
        let (file, image) = (workspace.url("letter.signed.pdf").path, workspace.url("page").path)
        let renderers = [
            (poppler, ["-r", "200", "-f", "1", "-singlefile", "-png", file, image]),
            (mupdf, ["draw", "-q", "-r", "200", "-o", image + ".png", file, "1"]),
        ]
        return try renderers.map { path, arguments in
            let drawn = try ExternalTool.run(path, arguments)
            #expect(drawn.status == 0, "\(drawn.errors)")
            let read = try ExternalTool.run(reader, ["--raw", "-q", image + ".png"])
            try FileManager.default.removeItem(atPath: image + ".png")
            return String(decoding: read.output, as: UTF8.self)
        }
    }

    @Test(arguments: [
        (["--at", "1:top-left"], "ALL CAPS 0123456789", "ALL CAPS 0123456789"),
        (["--at", "1:right"], "Grüße aus Žďár, {name}", "Grüße aus Žďár, Jan Žižka"),
        (
            ["--at", "1:top", "--background", "none"], #"{"a": "{reason}"}\n{{b"#,
            "{\"a\": \"Öl & {qr:{name}}\"}\n{b"
        ),
        (["--at", "1:left", "--lang", "ar"], "{date:yyyy} {name}", "2026 Jan Žižka"),
        (
            ["--at", "1:center", "--size", "100x45mm"], "https://example.com/?h={sha256}&\(long)",
            "https://example.com/?h=HASH&\(long)"
        ),
        (
            ["--rect", "1:10,200,590,500"], String(repeating: "ž", count: 1164) + "z",
            String(repeating: "ž", count: 1164) + "z"
        ),
    ])
    func viewersShowCodesThatCanBeScanned(options: [String], text: String, read: String) throws {
        guard try ExternalTool.library("libqrencode.so.4") != nil else { return }
        let workspace = try signingWorkspace()
        let hash = try workspace.succeed("hash digest letter.pdf").output.prefix(64)
        let expected = read.replacing("HASH", with: hash)
        let outcome = try workspace.succeed(
            Self.sign + options + [
                "--text", "{name}\\n{qr:\(text)}\\n{date:yyyy}", "--name", "Jan Žižka", "--reason",
                "Öl & {qr:{name}}", "--at-time", "2026-07-05T22:04:09Z", "--json",
            ])
        #expect(try outcome.json().stampCode.text == expected)
        #expect(try outcome.json().stampText.items.map(\.text) == ["Jan Žižka", "2026"])
        for code in try codes(workspace) ?? [] { #expect(code == expected + "\n") }
        try workspace.outsidersAccept("letter.signed.pdf")
        if let pdftotext = try ExternalTool.find("pdftotext") {
            let copied = try ExternalTool.run(
                pdftotext, ["-raw", workspace.url("letter.signed.pdf").path, "-"])
            #expect(String(decoding: copied.output, as: UTF8.self).contains("Jan Žižka"))
        }
    }

    @Test func aCodeCanBeAllThatIsShown() throws {
        guard try ExternalTool.library("libqrencode.so.4") != nil else { return }
        let workspace = try signingWorkspace()
        try workspace.succeed(
            Self.sign + ["--at", "1:auto", "--size", "20x30mm", "--text", "{qr:alone}"])
        for code in try codes(workspace) ?? [] { #expect(code == "alone\n") }
    }

    @Test func textShowsTheHashOfTheDocument() throws {
        let workspace = try signingWorkspace()
        let hash = try workspace.succeed("hash digest letter.pdf").output.prefix(64)
        let outcome = try workspace.succeed(
            Self.sign + [
                "--at", "1:top", "--size", "120x20mm", "--text", "{sha256}", "--dry-run", "--json",
            ])
        #expect(try outcome.json().stampText.items.map(\.text) == [String(hash)])
        #expect(try outcome.json().stampCode == .null)
    }

    @Test func codesThatCannotBeScannedAreRefused() throws {
        guard try ExternalTool.library("libqrencode.so.4") != nil else { return }
        let workspace = try signingWorkspace()
        func refuse(_ options: String..., naming words: String...) throws {
            let outcome = try workspace.signet(Self.sign + ["--at", "1:top"] + options)
            outcome.expect(.usage)
            for word in words { #expect(outcome.errors.contains(word), "\(outcome.errors)") }
        }
        let url = String(repeating: "a", count: 107)
        try refuse("--text", "a{qr:\(url)}", naming: "62x22mm", "--size")
        try workspace.succeed(
            Self.sign + ["--at", "1:top", "--size", "62x22mm", "--text", "a{qr:\(url)}"])
        try workspace.succeed(Self.sign + ["--at", "1:top", "--text", "a{qr:\(url.dropLast())}"])
        try refuse("--text", "{qr:" + String(repeating: "a", count: 2330) + "}", naming: "2329")
        try refuse("--text", "{qr:a}{qr:b}", naming: "only one QR code")
        try refuse("--text", "a{qr:}", naming: "only one QR code")
        try refuse("--text", "{qr:{nane}}", naming: "{name}")
        try refuse("--mark", "all:left", "--mark-text", "{qr:a}", naming: "marks have no QR code")
    }

    @Test func theMissingLibraryIsNamed() throws {
        let workspace = try signingWorkspace()
        // A file that is not a library is found instead of the installed one.
        try workspace.write("none", to: "libqrencode.so.4")
        let missing = ["LD_LIBRARY_PATH": workspace.folder.path]
        try workspace.signet(
            Self.sign + ["--at", "1:top", "--text", "{qr:a}"], environment: missing
        ).expectRefusal(.missingInput, naming: "libqrencode4")
        let found = try workspace.succeed("doctor", environment: missing).output
        #expect(found.contains("apt install libqrencode4"))
    }
}
