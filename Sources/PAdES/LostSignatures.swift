import ByteKit
import PDFCore
import TrustKit

/// Signatures of earlier revisions that the newest one does not have any more: to drop them is how
/// a changed document passes for one that nobody signed.
enum LostSignatures {
    /// Most form fields looked at in all earlier revisions together, and most revisions.
    private static let maximumFieldCount = 200_000
    private static let maximumRevisionCount = 64
    private static let chunkByteCount = 1 << 20

    /// A report that says so for each.
    static func reports(
        in document: PDFDocument, besides form: AcroForm
    ) throws -> [SignatureReport] {
        var known = try signedFields(of: form, in: document)
        var reports: [SignatureReport] = []
        var budget = maximumFieldCount
        // A form that lacks its own fields was torn from the revisions that have them.
        let isWhole = try form.fieldReferences.allSatisfy { reference in
            try document.resolve(reference) != .null
        }
        for view in try earlierRevisions(of: document, searching: known.isEmpty || !isWhole) {
            guard budget > 0, let earlier = try? AcroForm(of: view) else { continue }
            budget -= earlier.fields.count
            for name in try signedFields(of: earlier, in: view).sorted()
            where known.insert(name).inserted {
                var report = SignatureReport(field: name)
                report.problems.append(
                    .failure(
                        "signature-removed",
                        "an earlier revision of the file was signed in this field; the newest one "
                            + "has no such signature"))
                reports.append(report)
            }
        }
        return reports
    }

    private static func signedFields(
        of form: AcroForm, in document: PDFDocument
    ) throws -> Set<String> {
        var names: Set<String> = []
        for field in form.signatureFields {
            guard let value = field.value, let object = try? document.resolve(value) else {
                continue
            }
            if object != .null { names.insert(field.fullName) }
        }
        return names
    }

    /// The revisions that the newest one builds on, and, if searched for, those that it leaves out:
    /// whatever ends in the file like a revision.
    private static func earlierRevisions(
        of document: PDFDocument, searching: Bool
    ) throws -> [PDFDocument] {
        guard !document.isRebuilt else { return [] }
        var views: [PDFDocument] = []
        for group in document.revisionSections.reversed().dropFirst() {
            guard views.count < maximumRevisionCount, let newest = group.last else { break }
            views.append(document.view(newestSection: newest))
        }
        guard searching else { return views }
        for end in try revisionEnds(in: document.source).reversed().prefix(maximumRevisionCount)
        where end < document.source.byteCount {
            if let view = try? document.view(atRevisionEndingAt: end) { views.append(view) }
        }
        return views
    }

    /// Where end-of-file markers end.
    private static func revisionEnds(in source: any ByteSource) throws(SourceError) -> [Int] {
        let marker = Array("%%EOF".utf8)
        var ends: [Int] = []
        var position = 0
        while position < source.byteCount {
            let chunk = try source.bytes(at: position, count: chunkByteCount)
            var index = 0
            while let start = chunk[index...].firstIndex(of: marker[0]) {
                if chunk[start...].starts(with: marker) { ends.append(position + start + 5) }
                index = start + 1
            }
            guard chunk.count == chunkByteCount else { break }
            position += chunk.count - marker.count + 1
        }
        return ends
    }
}
