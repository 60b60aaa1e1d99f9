import Base
import PDFSigning

extension AcroForm {
    /// Notes about locks of nonexistent fields, which have no effect.
    ///
    /// - Parameters:
    ///   - names: the names in the locks.
    ///   - new: names of the fields that are added.
    func notes(onLocked names: some Sequence<String>, besides new: [String]) -> [String] {
        unknown(names, besides: new).map(Self.noteOnLocked)
    }

    /// Rejects a lock whose name of a nonexistent field is similar to an existing one, probably a
    /// typing error.
    func refuseMistyped(lock: SignatureLock?, besides new: [String]) throws {
        for name in unknown(lock?.names ?? [], besides: new) {
            let near = Spelling.nearest(to: name.text, in: fields.map(\.fullName.text) + new)
            guard let near else { continue }
            throw SignetError(
                .usage, Self.noteOnLocked(name), hint: Sentence(.didYouMean, near))
        }
    }

    private static func noteOnLocked(_ name: ExactText) -> String {
        "the lock names \(name.inQuotes), but the document has no such field"
    }

    private func unknown(_ names: some Sequence<String>, besides new: [String]) -> [ExactText] {
        let known = Set(fields.map(\.fullName) + new.map { ExactText($0) })
        var missing: Set<ExactText> = []
        return names.map { ExactText($0) }.filter { name in
            !known.contains(name) && !known.contains { $0.isBelow(name, separator: ".") }
                && missing.insert(name).inserted
        }
    }

    /// Empty signature fields that a new signature locks, which can then not be signed.
    ///
    /// - Parameter new: names of the fields that are added, and of the one to sign.
    /// - Returns: for people; nil if there are none.
    func fieldsClosed(
        by lock: SignatureLock, of field: String, besides new: [String]
    ) -> String? {
        let empty = signatureFields.filter { $0.value == nil }.map(\.fullName)
        let closed = (empty + new.map { ExactText($0) }).filter {
            $0 != ExactText(field) && lock.fieldLock.covers($0)
        }
        let named = closed.prefix(5)
        let more = closed.count - named.count
        return closed.isEmpty
            ? nil
            : named.map(\.inQuotes).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}
