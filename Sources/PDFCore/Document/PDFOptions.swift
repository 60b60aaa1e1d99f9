/// How a document is opened.
package struct PDFOptions: Sendable {
    /// What to do about a file whose cross-reference sections are damaged.
    package enum Repair: Sendable {
        /// Refuse it. Only this is safe for verifying: who repairs sees another document than
        /// who does not.
        case never
        /// Look for sections near where they should be, and for all objects when there are none
        /// or when the catalogue is not where they say. Objects that do not follow the syntax are
        /// read as other readers do. Every repair gives a warning.
        case whenNeeded
        /// Look for all objects, whatever the sections say.
        case always
    }

    /// Open encrypted documents too: strings and streams stay encrypted.
    package var permitsEncryption = false
    /// How to decrypt encrypted documents; `nil` refuses them.
    package var decryption: PDFDecryption?
    package var repair = Repair.never

    package init(repair: Repair = .never, decryption: PDFDecryption? = nil) {
        self.repair = repair
        self.decryption = decryption
    }
}
