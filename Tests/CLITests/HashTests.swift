import Foundation
import SignetTestSupport
import Testing

@Suite struct HashTests {
    /// A key of the type with its public half, and `data.bin`.
    private func workspace(_ type: String) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.makeKey("k", type)
        try workspace.openssl("pkey -in k.pem -pubout -out k.pub")
        try workspace.write(Data((0..<300_000).map { UInt8($0 % 251) }), to: "data.bin")
        return workspace
    }

    @Test(arguments: [
        ("sha1", "sha1"), ("sha256", "sha256"), ("sha384", "sha384"), ("sha512", "sha512"),
        ("sha3-256", "sha3-256"), ("sha3-384", "sha3-384"), ("sha3-512", "sha3-512"),
    ])
    func digestsLikeOpenssl(digest: String, name: String) throws {
        let workspace = try Workspace()
        try workspace.write(Data(repeating: 7, count: 1_000_000), to: "data.bin")
        let outcome = try workspace.succeed("hash digest data.bin --digest \(digest)")
        let expected = try workspace.openssl("dgst -r -\(name) data.bin")
        #expect(outcome.output.prefix { $0 != " " } == expected.prefix { $0 != " " })
        #expect(outcome.output.hasSuffix("  data.bin\n"))
        #expect(outcome.errors.contains("SHA-1") == (digest == "sha1"))
    }

    @Test(arguments: [
        ("rsa:2048", "sha256", ["--padding", "pkcs1"]), ("rsa:2048", "sha1", []),
        ("rsa:2048", "sha384", ["--padding", "pss"]), ("ec:P-256", "sha256", []),
        ("ec:P-521", "sha512", []), ("dsa:2048", "sha256", []), ("dsa:3072", "sha384", []),
    ])
    func signsAndVerifiesBothWaysWithOpenssl(
        type: String, digest: String, options: [String]
    ) throws {
        let workspace = try workspace(type)
        let method = ["--digest", digest] + options
        let pss = options.contains("pss") ? ["-sigopt", "rsa_padding_mode:pss"] : []
        try workspace.succeed("hash sign data.bin --key k.pem -o s.sig \(method)")
        try workspace.openssl("dgst -\(digest) -verify k.pub -signature s.sig \(pss) data.bin")
        try workspace.openssl("dgst -\(digest) -sign k.pem -out o.sig \(pss) data.bin")
        for signature in ["s.sig", "o.sig"] {
            try workspace.succeed(
                "hash verify data.bin --signature \(signature) --public-key k.pub \(method)")
        }
        // The same over a hash made elsewhere, in every spelling.
        let hash = try workspace.openssl("dgst -r -\(digest) data.bin")
        try workspace.write(hash, to: "hash.txt")
        for encoding in ["raw", "hex", "base64"] {
            try workspace.succeed(
                [
                    "hash", "sign", "hash.txt", "--input", "hash", "--key", "k.pem", "-o", "h.sig",
                    "--encoding", encoding, "--force",
                ] + method)
            try workspace.succeed(
                "hash verify data.bin --signature h.sig --public-key k.pub \(method)")
        }
        // Another content, and a damaged signature.
        var data = try workspace.read("data.bin")
        data[1000] ^= 1
        try workspace.write(data, to: "other.bin")
        try workspace.signet("hash verify other.bin --signature s.sig --public-key k.pub \(method)")
            .expect(.invalid)
        try workspace.write(Data([1, 2, 3]), to: "no.sig")
        try workspace.signet("hash verify data.bin --signature no.sig --public-key k.pub \(method)")
            .expect(.invalid)
    }

    @Test func signsWholeMessagesWithEd25519AndNoHashes() throws {
        let workspace = try workspace("ed25519")
        try workspace.succeed("hash sign data.bin --key k.pem -o s.sig")
        try workspace.openssl(
            "pkeyutl -verify -pubin -inkey k.pub -rawin -in data.bin -sigfile s.sig")
        try workspace.openssl("pkeyutl -sign -inkey k.pem -rawin -in data.bin -out o.sig")
        #expect(try workspace.read("s.sig") == workspace.read("o.sig"))
        try workspace.write(Data(repeating: 9, count: 32), to: "hash.bin")
        try workspace.signet("hash sign hash.bin --input hash --key k.pem -o h.sig")
            .expectRefusal(.usage, naming: "--input data")
        #expect(!workspace.exists("h.sig"))
    }

    @Test func aMissingDigestInfoIsNamed() throws {
        let workspace = try workspace("rsa:2048")
        try workspace.openssl("dgst -sha256 -binary -out hash data.bin")
        let hash = try workspace.read("hash")
        let info = Data([0x30, 0x2F, 0x30, 0x0B, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1])
        for (block, words) in [
            (hash, "without its algorithm identifier (DigestInfo"),
            (info + [4, 32] + hash, "lacks the NULL parameters"),
        ] {
            try workspace.write(block, to: "block")
            try workspace.openssl("pkeyutl -sign -inkey k.pem -in block -out s.sig")
            let outcome = try workspace.signet(
                "hash verify data.bin --signature s.sig --public-key k.pub"
            ).expect(.invalid)
            #expect(outcome.output.contains(words) && !outcome.errors.contains("hint"))
        }
    }

    @Test func refusesHashesOfTheWrongLength() throws {
        let workspace = try workspace("ec:P-256")
        for text in [
            "abcd", String(repeating: "ab", count: 20), "not a hash",
            // As many characters as SHA-256 has bytes: an MD5 in hexadecimal.
            String(repeating: "a", count: 32),
        ] {
            try workspace.write(text, to: "hash.txt")
            try workspace.signet("hash sign hash.txt --input hash --key k.pem -o h.sig")
                .expectRefusal(.malformedInput, naming: "hash.txt")
        }
        #expect(!workspace.exists("h.sig"))
    }

    @Test func aHashSignedAsDataIsTold() throws {
        let workspace = try workspace("ec:P-256")
        try workspace.openssl("dgst -r -sha256 -out sums.txt data.bin")
        try workspace.openssl("dgst -sha256 -binary -out hash.bin data.bin")
        for (file, isTold) in [("sums.txt", true), ("hash.bin", true), ("k.pub", false)] {
            let outcome = try workspace.succeed("hash sign \(file) --key k.pem -o \(file).sig")
            #expect(outcome.errors.contains("--input hash") == isTold, "\(outcome.errors)")
        }
    }

    /// 300 MB in an address space of 96 MB, libraries included.
    @Test func readsLargeFilesInConstantMemory() throws {
        let workspace = try workspace("rsa:2048")
        try workspace.write(Data(), to: "large.bin")
        let file = try FileHandle(forWritingTo: workspace.url("large.bin"))
        try file.truncate(atOffset: 300_000_000)
        try file.close()
        let signet = try SignetBinary.path
        let script = "ulimit -v \(HostileInputTests.kilobytes) && exec \"$0\" hash \"$@\""
        for arguments in [
            ["digest", "large.bin"], ["sign", "large.bin", "--key", "k.pem", "-o", "s.sig"],
            ["verify", "large.bin", "--signature", "s.sig", "--public-key", "k.pub"],
        ] {
            try CommandRunner.run(
                "/bin/bash", ["-c", script, signet] + arguments, folder: workspace.folder
            ).expect(.done, "\(arguments)")
        }
        try workspace.openssl("dgst -sha256 -verify k.pub -signature s.sig large.bin")
    }

    @Test func signsAListOfHashesInOneGo() throws {
        let workspace = try workspace("rsa:2048")
        let hashes = (0..<20).map { String(repeating: String(10 + $0), count: 32) }
        try workspace.write(Data(hashes.joined(separator: "\n").utf8), to: "list.txt")
        let outcome = try workspace.succeed(
            "hash sign list.txt --input hash-list --key k.pem -o sigs.txt")
        #expect(outcome.output.contains("20 rsa-pkcs1"))
        let lines = try workspace.text("sigs.txt").split(separator: "\n")
        #expect(lines.count == 20)
        try workspace.write(Data(lines[7].utf8), to: "one.sig")
        try workspace.write(Data(hashes[7].utf8), to: "one.txt")
        let verify = ["--public-key", "k.pub", "--input"]
        try workspace.succeed("hash verify one.txt --signature one.sig \(verify) hash")
        try workspace.succeed("hash verify list.txt --signature sigs.txt \(verify) hash-list")
        try workspace.write(Data(lines.dropLast().joined(separator: "\n").utf8), to: "few.txt")
        try workspace.signet("hash verify list.txt --signature few.txt \(verify) hash-list")
            .expect(.invalid)
    }

    /// The key says which hash and at least how much salt (RFC 4055 §3.1).
    @Test(arguments: [20, 32, 48])
    func verifiesKeysThatDemandALengthOfSalt(saltByteCount: Int) throws {
        let workspace = try Workspace()
        try workspace.write("order", to: "data.bin")
        try workspace.openssl([
            "genpkey", "-quiet", "-algorithm", "RSA-PSS", "-out", "k.pem", "-pkeyopt",
            "rsa_pss_keygen_md:sha256", "-pkeyopt", "rsa_pss_keygen_mgf1_md:sha256", "-pkeyopt",
            "rsa_pss_keygen_saltlen:20",
        ])
        try workspace.openssl("pkey -in k.pem -pubout -out k.pub")
        try workspace.succeed("hash sign data.bin --key k.pem -o s.sig")
        try workspace.openssl(
            "dgst -sha256 -verify k.pub -signature s.sig -sigopt rsa_pss_saltlen:32 data.bin")
        try workspace.openssl(
            "dgst -sha256 -sign k.pem -out o.sig -sigopt rsa_pss_saltlen:\(saltByteCount) data.bin")
        for signature in ["s.sig", "o.sig"] {
            try workspace.succeed(
                "hash verify data.bin --signature \(signature) --public-key k.pub")
        }
        try workspace.write("orders", to: "data.bin")
        try workspace.signet("hash verify data.bin --signature o.sig --public-key k.pub")
            .expect(.invalid)
    }

    @Test func convertsECDSAToTwoNumbers() throws {
        let workspace = try workspace("ec:P-384")
        try workspace.succeed("hash sign data.bin --key k.pem -o s.sig --form p1363")
        #expect(try workspace.read("s.sig").count == 96)
        let verify = [
            "hash", "verify", "data.bin", "--signature", "s.sig", "--public-key", "k.pub",
        ]
        try workspace.succeed("\(verify) --form p1363")
        try workspace.signet(verify).expect(.invalid)
    }
}
