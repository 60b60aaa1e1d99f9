import Base

package enum PDFErrorCode: String, Sendable {
    /// The file has no %PDF header.
    case notAPDF
    case readFailed
    /// The document is encrypted, and no decryption was given.
    case encrypted
    /// The document is encrypted in a way that is not supported.
    case unsupportedEncryption
    /// The encryption dictionary is damaged.
    case malformedEncryption
    /// The document is encrypted, and no password was given.
    case passwordNeeded
    /// The document is encrypted with certificates, and no private key was given.
    case keyNeeded
    /// The given key could not be used.
    case keyFailed
    case wrongKey
    /// The authentication tag of encrypted data is missing or wrong (ISO/TS 32003).
    case wrongTag
    /// The password opens the document neither as user nor as owner.
    case wrongPassword
    /// Cross-reference sections or trailers are missing, damaged or form a loop.
    case damagedCrossReference
    /// Viewers that repair the document choose different objects.
    case readersDisagree
    case malformedObject
    /// The offset of a cross-reference entry is that of another object, or of none.
    case wrongObject
    /// A stream's dictionary, extent or data is damaged.
    case malformedStream
    /// A stream uses an unknown filter or one for images.
    case unsupportedFilter
    /// An object stream does not contain the expected objects.
    case malformedObjectStream
    case referenceLoop
    /// One of ``PDFLimits`` is exceeded.
    case limitExceeded
    case missingCatalog
    case malformedPageTree
    case noSuchPage
    /// An offset does not fit the ten digits of a cross-reference table.
    case offsetTooLarge
    case cannotUpdate

    /// Whether the document itself is damaged, so that reading it in another way may help.
    package var isDamage: Bool {
        switch self {
        case .damagedCrossReference, .wrongObject, .malformedObject, .malformedStream,
            .malformedObjectStream, .missingCatalog, .malformedPageTree:
            true
        default: false
        }
    }
}

/// An error with its location in the document.
package struct PDFError: Error, Equatable, Sendable {
    package let code: PDFErrorCode
    /// The finding or the expectation, as text.
    package let detail: String
    /// Position in the file, in bytes.
    package let offset: Int?
    package let object: ObjectID?

    package init(
        _ code: PDFErrorCode, _ detail: String, offset: Int? = nil, object: ObjectID? = nil
    ) {
        self.code = code
        self.detail = detail
        self.offset = offset
        self.object = object
    }

    /// The same error with the ID of its object, unless it already has one.
    func within(_ id: ObjectID) -> PDFError {
        object == nil ? PDFError(code, detail, offset: offset, object: id) : self
    }

    /// Errors are equal if their codes are equal; details are text for people.
    package static func == (left: PDFError, right: PDFError) -> Bool { left.code == right.code }
}

/// Bytes of the document; a failure to read them becomes a ``PDFError``.
@inline(__always)
func reading<Bytes>(_ read: @autoclosure () throws(SourceError) -> Bytes) throws(PDFError) -> Bytes
{
    do throws(SourceError) {
        return try read()
    } catch {
        throw PDFError(.readFailed, error.detail, offset: error.offset)
    }
}
