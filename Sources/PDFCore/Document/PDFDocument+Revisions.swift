extension PDFDocument {
    /// How many revisions the file holds (ISO 32000-2 §7.5.6).
    ///
    /// A linearized file begins with a section that points forward to the main one; the two are
    /// one revision (Annex F).
    package var revisionCount: Int {
        sections.count - sections.count { ($0.previous ?? 0) > $0.offset }
    }
}
