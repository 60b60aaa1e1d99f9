import Base
import Foundation
import PDFCore
import SignetTestSupport
import SystemBridge
import Testing

@testable import SignetKit

/// What encrypted documents hold, against what pyHanko reads there.
@Suite("Content of encrypted documents")
struct EncryptedContentTests {
    /// The decoded content of the first page, in hexadecimal.
    private static func content(_ bytes: [UInt8], _ password: DocumentPassword) throws -> String {
        let folder = try TemporaryFolder()
        let path = try folder.write("in.pdf", bytes)
        let document = try PDFDocument.open(InputFile(path: path), path: path, password: password)
        let entry = try document.value(document.page(at: 0).dictionary, "Contents")
        let parts = try (entry.arrayValue ?? [entry]).compactMap {
            try document.resolve($0).streamValue
        }
        let data = try parts.map { try document.decodedData(of: $0) }
        return data.map { String(decoding: Hex.digits(of: $0), as: UTF8.self) }
            .joined(separator: "0a")
    }

    private static func password(_ text: String) -> DocumentPassword {
        DocumentPassword(.ask { Passphrase(Array(text.utf8)) })
    }

    @Test(
        "is read as pyHanko reads it",
        arguments: [
            ("gcm", ""), ("gcm-mac", ""), ("aes-mac", ""), ("r5-mac", ""),
            ("key-aes256", "first"), ("key-two", "first"), ("key-two", "second"),
            ("key-mac", "first"), ("key-oaep", "first"), ("key-ecdh", "curve"),
            ("key-clear-metadata", "first"), ("key-rc4-40", "first"), ("key-rc4-128", "first"),
            ("key-v4-rc4", "first"), ("key-v4-aes128", "first"),
        ])
    func samples(name: String, recipient: String) throws {
        guard let bytes = try EncryptedSamples.document(name),
            let opinion = try EncryptedSamples.opinion(
                bytes, password: "user", recipient: recipient)
        else { return }
        let password =
            recipient.isEmpty
            ? Self.password("user")
            : DocumentPassword(
                .environment("UNSET"),
                recipient: DocumentRecipient(
                    keyFile: "\(try EncryptedSamples.path() ?? "")/\(recipient).key",
                    passphrase: .environment("UNSET")))
        #expect(!opinion.content.isEmpty)
        #expect(try Self.content(bytes, password) == opinion.content)
    }

    /// Files of others that carry a MAC, and their passwords.
    private static let corpus = ["pdf/signed", "pdf/unsigned"].flatMap { folder in
        CorpusFolder.names(folder, suffix: ".pdf").compactMap { name -> (String, [UInt8])? in
            guard let file = CorpusFolder.url("\(folder)/\(name)")?.path,
                let bytes = try? ExternalTool.read(file),
                bytes.firstRange(of: Array("/AuthCode".utf8)) != nil
            else { return nil }
            return (name, bytes)
        }
    }

    @Test(
        "codes of other programs are right, and pages as pyHanko reads them",
        .enabled(if: !corpus.isEmpty, "SIGNET_CORPUS has no such files"))
    func othersCodes() throws {
        let signer = try Signer()
        for (name, bytes) in Self.corpus {
            var opinion: EncryptedSamples.Opinion?
            let password = try ["123", "Hello", "secret"].first { password in
                opinion = try EncryptedSamples.opinion(bytes, password: password)
                return opinion?.status != "FAILED"
            }
            guard let opinion, let password else {
                Issue.record("\(name): pyHanko does not open it")
                continue
            }
            let access = Self.password(password)
            #expect(try Self.content(bytes, access) == opinion.content, "\(name)")
            let code = try #require(
                try signer.verify(bytes, password: access).integrityCode, "\(name)")
            #expect(code.valid, "\(name): \(code.problems)")
        }
    }
}
