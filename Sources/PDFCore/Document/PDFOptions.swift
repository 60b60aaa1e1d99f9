/// Options for opening a document.
package struct PDFOptions: Sendable {
    /// The treatment of files with damaged cross-reference sections.
    package enum Repair: Sendable {
        /// Rejects the file. Only this is safe for verification, because a repair changes the
        /// document that is read.
        case never
        /// Searches for sections near their stated offsets. Searches for all objects if there are
        /// no sections or if they do not lead to the pages. Reads objects with syntax errors as
        /// other viewers do. Every repair adds a warning.
        case whenNeeded
        /// Searches for all objects and ignores the sections.
        case always
    }

    /// Opens encrypted documents too; strings and streams stay encrypted.
    package var permitsEncryption = false
    /// Decrypts encrypted documents; `nil` rejects them.
    package var decryption: PDFDecryption?
    package var repair = Repair.never

    package init(repair: Repair = .never, decryption: PDFDecryption? = nil) {
        self.repair = repair
        self.decryption = decryption
    }
}
