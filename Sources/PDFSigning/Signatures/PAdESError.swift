package import Base

/// Why a PDF signature cannot be prepared.
package typealias PAdESError = CodedError<PAdESErrorCode>

/// The codes of ``PAdESError``.
package enum PAdESErrorCode: String, Sendable {
    /// The named field exists and is signed already, or is no signature field.
    case fieldNotUsable
    /// A new field has the name of one that is there.
    case fieldTaken
    /// Several empty signature fields, none of them named.
    case fieldAmbiguous
    /// A field name with a period, or empty.
    case fieldNameInvalid
    /// What a new field is to demand of its signature has no place in a seed value.
    case constraintInvalid
    /// A certification signature forbids further ones (ISO 32000-2 §12.8.2.2).
    case certifiedWithoutChanges
    /// The document is encrypted, and its permissions forbid what is asked
    /// (ISO 32000-2 Table 22).
    case notPermitted
    /// The same for one of the holders of certificates, where there is no password.
    case notPermittedToRecipient
    /// An integrity code is missing or wrong, or none can be made (ISO/TS 32004).
    case integrityProtected
    /// A dynamic XFA form: a script produces its appearance, so nothing that is shown would be signed.
    case dynamicXFA
    /// The cross-references had to be rebuilt in a document that is signed already.
    case damagedAndSigned
    /// A mandatory seed value cannot be met (ISO 32000-2 Table 237).
    case seedValueUnmet
    /// The field's lock permits something else than was asked for.
    case lockLevelUnmet
    /// The seed value demands a timestamp.
    case timestampDemanded
    /// The seed value offers other reasons than the one that is given.
    case reasonDemanded
    /// An earlier signature locks the field or forbids the kind of signature.
    case forbiddenByEarlierSignature
    /// Only a document's first signature can certify it.
    case certifiesTooLate
    /// A new visible field would count as a forbidden change.
    case visibleFieldForbidden
    /// An earlier signature locks the field.
    case fieldLocked
    /// An earlier signature fails already.
    case earlierSignatureFails
    /// Drawing on pages that are signed already would break that signature.
    case marksBreakSignature
    /// Something drawn would cover a field of the form.
    case coversField
    /// The form's structure breaks ISO 32000-2 §12.7.
    case malformedForm
    /// No signature, or more than one, waits for its value.
    case nothingPending
    /// The CMS is longer than the space reserved for it.
    case reservationExceeded
}
