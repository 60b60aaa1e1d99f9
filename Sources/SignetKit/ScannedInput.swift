import FileBridge
import PDFCore
import ThreadBridge

/// The update gives new objects numbers that something in the file refers to already. They are
/// known now: lay it out once more.
struct NumbersReferenced: Error {}

/// A file to which an update is to be appended, and the object numbers that it refers to: looked for
/// once, and beside other work where there are many.
///
/// Nobody waits for that before an update is laid out, only before it is signed.
final class ScannedInput {
    let file: InputFile
    private let task: BackgroundTask<Result<ObjectNumberSet, any Error>>

    /// From this size on a thread of its own pays.
    private static let backgroundByteCount = 1 << 20

    private struct Cancelled: Error {}

    init(_ file: InputFile) {
        self.file = file
        let isLarge = file.byteCount >= Self.backgroundByteCount
        task = BackgroundTask(isWorthThread: isLarge) { cancellation in
            Result {
                var scanner = ReferenceScanner()
                try file.stream(range: 0..<file.byteCount) { part in
                    guard !cancellation.isRequested else { throw Cancelled() }
                    scanner.scan(part)
                }
                return scanner.numbers
            }
        }
    }

    /// What the update of a document has to avoid: what objects in its object streams refer to,
    /// and what the file's bytes do, as soon as that is known.
    func numbers(in document: PDFDocument) throws -> ObjectNumberSet {
        var numbers = try document.numbersReferencedInObjectStreams()
        if !task.isInBackground { numbers.formUnion(try task.value().get()) }
        return numbers
    }

    /// Waits until all is known.
    ///
    /// - Throws: ``NumbersReferenced`` when something refers to one of `newNumbers`.
    func requireNone(of newNumbers: [Int]) throws {
        let numbers = try task.value().get()
        guard !newNumbers.contains(where: { numbers.contains($0) }) else {
            throw NumbersReferenced()
        }
    }

    /// Does what lays out an update, and does it again with better numbers where it has to.
    func settled<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch is NumbersReferenced {
            return try body()
        }
    }
}
