package import Base

/// Why a PDF signature cannot be prepared.
package typealias PAdESError = CodedError<PAdESErrorCode>

/// The codes of ``PAdESError``.
package enum PAdESErrorCode: String, Sendable {
    /// The named field is already signed or is not a signature field.
    case fieldNotUsable
    /// A new field has the name of an existing one.
    case fieldTaken
    /// There are several empty signature fields, and no field name is given.
    case fieldAmbiguous
    /// A field name is empty or contains a period.
    case fieldNameInvalid
    /// A seed value cannot express a constraint for a new field.
    case constraintInvalid
    /// A certification signature forbids further ones (ISO 32000-2 §12.8.2.2).
    case certifiedWithoutChanges
    /// The permissions of the encrypted document forbid the operation (ISO 32000-2 Table 22).
    case notPermitted
    /// The permissions of a recipient forbid the operation (document encrypted with certificates).
    case notPermittedToRecipient
    /// A MAC is missing or wrong, or cannot be computed (ISO/TS 32004).
    case integrityProtected
    /// In a dynamic XFA form a script produces the display, so the signature would not cover it.
    case dynamicXFA
    /// The cross-reference table of a signed document had to be reconstructed.
    case damagedAndSigned
    /// A mandatory seed value cannot be met (ISO 32000-2 Table 237).
    case seedValueUnmet
    /// The field's lock permits other changes than requested.
    case lockLevelUnmet
    /// The seed value requires a timestamp.
    case timestampDemanded
    /// The seed value does not permit the given reason.
    case reasonDemanded
    /// An earlier signature locks the field or forbids the kind of signature.
    case forbiddenByEarlierSignature
    /// Only a document's first signature can certify it.
    case certifiesTooLate
    /// A new visible field would be a forbidden change.
    case visibleFieldForbidden
    /// An earlier signature locks the field.
    case fieldLocked
    /// An existing signature is invalid.
    case earlierSignatureFails
    /// A field is prepared for remote signing, and its signature is not embedded yet.
    case earlierSignaturePending
    /// Drawing on signed pages would invalidate the signature.
    case marksBreakSignature
    /// A drawing would cover a form field.
    case coversField
    /// The form's structure breaks ISO 32000-2 §12.7.
    case malformedForm
    /// The document has no signature without a value, or several.
    case nothingPending
    /// The CMS is longer than the space reserved for it.
    case reservationExceeded
}
