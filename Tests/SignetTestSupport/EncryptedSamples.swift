import Foundation

/// Documents that Scripts/lib/make_encrypted.py encrypts with pyHanko, and the keys that open them:
/// made once in a run of the tests.
package enum EncryptedSamples {
    private static let folder = Result { try make() }

    /// The folder's path; nil, said loudly, where pyHanko is missing.
    package static func path() throws -> String? { try folder.get() }

    /// The bytes of one document: `gcm`.
    package static func document(_ name: String) throws -> [UInt8]? {
        try path().map { try ExternalTool.read("\($0)/\(name).pdf") }
    }

    private static func make() throws -> String? {
        guard let python = try PythonEnvironment.find("python") else { return nil }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("signet-encrypted-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/make_encrypted.py").path
        let run = try ExternalTool.run(python, [script, folder.path])
        guard run.status == 0 else { throw CommandRunnerError(description: run.errors) }
        return folder.path
    }

    /// What pyHanko says of a document that a password, or the key of one of the samples'
    /// recipients, opens: the status of its access, `USER`, `OWNER` or `FAILED`, then the status of
    /// each signature. Nil where pyHanko is missing.
    package static func judge(
        _ bytes: [UInt8], password: String = "", recipient: String = ""
    ) throws -> String? {
        guard let python = try PythonEnvironment.find("python") else { return nil }
        return try ExternalTool.withFolder { folder in
            let file = "\(folder)/judged.pdf"
            try ExternalTool.write(bytes, to: file)
            let code = """
                import sys
                from pyhanko.pdf_utils.crypt.pubkey import SimpleEnvelopeKeyDecrypter
                from pyhanko.pdf_utils.reader import PdfFileReader
                from pyhanko.sign.validation import validate_pdf_signature, validate_pdf_timestamp
                from pyhanko_certvalidator import ValidationContext
                reader = PdfFileReader(open(sys.argv[1], "rb"))
                key = sys.argv[3]
                print((
                    reader.decrypt_pubkey(
                        SimpleEnvelopeKeyDecrypter.load(key + ".key", key + ".crt")) if key
                    else reader.decrypt(sys.argv[2].encode())).status.name)
                for each in reader.embedded_signatures:
                    trust = ValidationContext(trust_roots=[each.signer_cert])
                    stamp = each.sig_object["/Type"] == "/DocTimeStamp"
                    validate = validate_pdf_timestamp if stamp else validate_pdf_signature
                    status = validate(each, trust)
                    print("valid" if status.intact and status.valid else "INVALID")
                """
            let run = try ExternalTool.run(
                python,
                [
                    "-c", code, file, password,
                    recipient.isEmpty ? "" : "\(try path() ?? "")/\(recipient)",
                ])
            guard run.status == 0 else { throw CommandRunnerError(description: run.errors) }
            return String(decoding: run.output, as: UTF8.self)
                .split(separator: "\n").joined(separator: " ")
        }
    }
}
