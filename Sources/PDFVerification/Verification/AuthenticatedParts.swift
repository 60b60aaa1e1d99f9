import PDFCore

/// Whether the AES-GCM tags of all objects are valid (ISO/TS 32003), including attached files and
/// metadata, which no other check reads.
struct AuthenticatedParts {
    private let document: PDFDocument
    private var remainingObjects: Int
    private var remainingBytes: Int
    private(set) var wrong: ObjectID?
    /// False if a limit left tags unchecked.
    private(set) var isComplete = true

    init(_ document: PDFDocument, _ effort: DynamicContent.Effort) {
        self.document = document
        // The thorough limit of objects applies at every effort.
        remainingObjects = DynamicContent.Effort.thorough.objectCount(of: document)
        remainingBytes = effort.sealedByteCount
    }

    /// - Throws: only `readFailed`.
    mutating func examine() throws(PDFError) {
        guard document.encryption?.hasTags == true else { return }
        var visited: Set<ObjectID> = []
        // The encryption dictionary itself is not encrypted.
        var pending = document.trailer.entries.filter { $0.key != "Encrypt" }.map(\.value)
        while wrong == nil, let next = pending.popLast() {
            switch next {
            case .array(let elements): pending += elements
            case .dictionary(let dictionary): pending += dictionary.entries.map(\.value)
            case .reference(let id):
                guard visited.insert(id).inserted else { continue }
                guard remainingObjects > 0 else {
                    isComplete = false
                    return
                }
                remainingObjects -= 1
                if let object = try object(id) { pending.append(object) }
            default: break
            }
        }
    }

    /// The object without its stream data, after a check of its tag; nil if unreadable.
    private mutating func object(_ id: ObjectID) throws(PDFError) -> PDFObject? {
        do throws(PDFError) {
            let object = try document.object(id)
            guard let stream = object.streamValue else { return object }
            guard try !document.isNeverEncrypted(id), try !document.isInClear(stream) else {
                return .dictionary(stream.dictionary)
            }
            let byteCount = stream.dataRange?.count ?? 0
            if byteCount <= remainingBytes {
                remainingBytes -= byteCount
                _ = try document.rawData(of: stream)
            } else {
                isComplete = false
            }
            return .dictionary(stream.dictionary)
        } catch {
            switch error.code {
            case .readFailed: throw error
            case .wrongTag: wrong = id
            case .limitExceeded: isComplete = false
            default: break
            }
            return nil
        }
    }
}
