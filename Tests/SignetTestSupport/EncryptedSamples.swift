import Foundation
import Synchronization

/// Documents that Scripts/lib/make_encrypted.py encrypts with pyHanko, and the keys that decrypt
/// them. Created once per test run.
package enum EncryptedSamples {
    private static let folder = Result { try make() }

    /// The path of the folder; nil, with a message, if pyHanko is missing.
    package static func path() throws -> String? { try folder.get() }

    /// The bytes of a document by name: `gcm`.
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

    /// The result of pyHanko for a document; see Scripts/lib/encryption_judge.py.
    package struct Opinion: Decodable {
        package let status: String
        package let signatures: [Bool]
        /// The first page's content, in hexadecimal.
        package let content: String
        /// Secret keys, in hexadecimal.
        package let keys: [String]
    }

    /// The result of pyHanko for a document, opened with a password or the key of a recipient of
    /// the samples. Nil if pyHanko is missing.
    package static func opinion(
        _ bytes: [UInt8], password: String = "", recipient: String = ""
    ) throws -> Opinion? {
        guard let judge = try judge.get() else { return nil }
        return try ExternalTool.withFolder { folder in
            let file = "\(folder)/judged.pdf"
            try ExternalTool.write(bytes, to: file)
            let key = recipient.isEmpty ? "" : "\(try path() ?? "")/\(recipient)"
            let question = try JSONEncoder().encode([file, password, key])
            return try JSONDecoder().decode(Opinion.self, from: try judge.ask(question))
        }
    }

    private static let judge = Result {
        try PythonEnvironment.find("python").map { try Judge(python: $0) }
    }

    /// The access of pyHanko (`USER`, `OWNER` or `FAILED`), then `valid` or `INVALID` for each
    /// signature. Nil if pyHanko is missing.
    package static func judge(
        _ bytes: [UInt8], password: String = "", recipient: String = ""
    ) throws -> String? {
        try opinion(bytes, password: password, recipient: recipient).map { opinion in
            ([opinion.status] + opinion.signatures.map { $0 ? "valid" : "INVALID" })
                .joined(separator: " ")
        }
    }
}

/// pyHanko, started once in a run of the tests.
private final class Judge: Sendable {
    private let ends: Mutex<(questions: FileHandle, answers: FileHandle)>

    init(python: String) throws {
        let (input, output) = (Pipe(), Pipe())
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/encryption_judge.py")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = [script.path]
        process.standardInput = input
        process.standardOutput = output
        try process.start()
        ends = Mutex((input.fileHandleForWriting, output.fileHandleForReading))
    }

    /// The answer to a line.
    func ask(_ question: Data) throws -> Data {
        try ends.withLock { ends in
            try ends.questions.write(contentsOf: question + [10])
            var answer = Data()
            while answer.last != 10 {
                let part = ends.answers.availableData
                guard !part.isEmpty else { throw CommandRunnerError(description: "no answer") }
                answer += part
            }
            return answer
        }
    }
}
