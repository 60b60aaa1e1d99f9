import Base
import CMSKit
import CodecBridge
import Containers
import CryptoBridge
import NetworkBridge
import PDFCore
import PDFSigning
import Pages
package import SystemBridge
import TextBridge
import TimestampKit

/// Runs `body`, which reads `path`, and adds the path to its errors.
func reading<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch {
        throw SignetError(reading: path, error)
    }
}

/// Runs `body`, which searches for a key. Its errors do not contain the key's URI, which may
/// contain a PIN.
func finding<Result>(_ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let failure as SigningFailure {
        throw SignetError(failure)
    }
}

/// Runs `body`, which writes `path`, and converts its file errors.
func writing<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let error as FileError {
        throw SignetError(error)
    }
}

extension AtomicOutput {
    /// Writes the remaining bytes and commits.
    func finish(_ bytes: [UInt8]) throws {
        try writing(path) {
            try write(bytes)
            try commit()
        }
    }
}

extension SignetError {
    /// Converts a failure of another module while reading `path`.
    init(reading path: String, _ error: any Error) {
        switch error {
        case let known as SignetError
        where Self.codesOfInputs.contains(known.code) && known.file == nil:
            // An error without a file gets the path of the input.
            self.init(known.code, file: path, known.message, hint: known.hint)
        case let known as SignetError: self = known
        case let error as FileError: self.init(error)
        case let error as SourceError: self.init(.inputOutput, file: path, error.detail)
        case let error as PDFError: self.init(path, error)
        case let error as CryptoError: self.init(path, error)
        case let error as PAdESError: self.init(path, error)
        case let error as AppearanceError: self.init(path, error)
        case let error as PhotoError:
            self.init(.malformedInput, file: path, error.detail, hint: error.hint?.naming(path))
        case let error as ContainerError: self.init(.malformedInput, file: path, error.detail)
        case let error as XMLError:
            let isMissing = error.code == .parserMissing
            self.init(
                isMissing ? .serviceUnavailable : .malformedInput, file: path, error.detail,
                hint: isMissing ? Sentence(.installParser) : nil)
        case let error as CodecError: self.init(.malformedInput, file: path, error.detail)
        case let error as CMSError: self.init(path, error)
        case let error as SigningFailure: self.init(error, key: path)
        case let error as HTTPError: self.init(path, error)
        case let error as TimestampServiceError: self.init(path, error)
        default: self.init(.internalFailure, file: path, "unexpected failure: \(error)")
        }
    }

    /// The error for a failure that no task has converted, such as missing random numbers.
    package init(unforeseen error: any Error) {
        switch error {
        case let known as SignetError: self = known
        case let error as CryptoError where error.code == .noRandomness:
            self.init(.inputOutput, error.detail)
        default: self.init(.internalFailure, "unexpected failure: \(error)")
        }
    }

    package init(_ error: FileError) {
        guard error.code != .missing || FileSystem.isPlausible(error.path) else {
            self.init(
                .missingInput,
                "the file was not found; its name is not printed, because it may be a secret",
                hint: Sentence(.checkPath))
            return
        }
        let (code, hint): (Code, Sentence.Code?) =
            switch error.code {
            case .missing: (.missingInput, .checkPath)
            case .unreadable: (.missingInput, .checkPermissions)
            case .notAFile: (.missingInput, .nameFileOrRecurse)
            case .exists: (.outputRefused, .forceOrRename)
            case .folderMissing: (.outputRefused, .makeFolderFirst)
            case .cannotCreate: (.outputRefused, .writeElsewhereOrPermit)
            case .doubleOutput: (.usage, .givePlaces)
            case .overInput: (.usage, .writeElsewhereOrSkip)
            case .changed: (.outputRefused, .runAgain)
            case .busy: (.outputRefused, .runAgainLater)
            case .foreign: (.credentialRefused, .setHome)
            case .diskFull: (.inputOutput, .freeSpace)
            case .tooLarge, .malformed: (.malformedInput, nil)
            case .io, .pipeClosed, .cancelled: (.inputOutput, nil)
            }
        self.init(
            code, file: error.path, error.detail,
            hint: hint.map { Sentence($0) })
    }

    private init(_ path: String, _ error: PDFError) {
        let (code, message, hint): (Code, String, Sentence?) =
            switch error.code {
            case .passwordNeeded, .encrypted:
                (
                    .credentialRefused, "the document is encrypted and requires a password",
                    Sentence(.useSecret, "password")
                )
            case .wrongPassword: (.credentialRefused, error.detail, Sentence(.checkPassword))
            case .keyNeeded: (.credentialRefused, error.detail, Sentence(.nameDecryptionKey))
            case .wrongKey:
                (.credentialRefused, error.detail, Sentence(.nameDecryptionKeyAndCertificate))
            case .unsupportedEncryption:
                (.malformedInput, error.description, Sentence(.askForOtherEncryption))
            case .wrongTag: (.malformedInput, error.description, Sentence(.getAgain))
            case .notAPDF:
                FoundFile(path).map {
                    (
                        .malformedInput, "the file is \($0.name), not a PDF",
                        $0.isImage ? Sentence(.signAsPDF) : $0.hint
                    )
                } ?? (.malformedInput, error.detail, nil)
            default: (.malformedInput, error.description, Sentence(.checkOrAskForWhole))
            }
        self.init(code, file: path, message, hint: hint)
    }

    private init(_ path: String, _ error: CryptoError) {
        let (code, message, hint): (Code, String, Sentence?) =
            switch error.code {
            case .wrongPassphrase:
                (.credentialRefused, "the passphrase is wrong", Sentence(.checkPassphrase))
            case .passphraseNeeded:
                (
                    .credentialRefused, "a passphrase is required",
                    Sentence(.useSecret, "passphrase")
                )
            case .keyMismatch:
                (.credentialRefused, error.detail, Sentence(.useIssuedCertificate))
            case .noRandomness: (.inputOutput, error.detail, nil)
            case .unrecognisedFormat:
                (
                    .malformedInput,
                    (FoundFile(path).map { "the file is \($0.name), " } ?? "") + error.detail,
                    error.detail.hasSuffix(" certificate")
                        ? Sentence(.useCertificateFile)
                        : ["PEM without private key", "neither PEM, nor a DER key"].contains(
                            where: error.detail.hasPrefix)
                            ? Sentence(.giveKeyAndCertificate) : nil
                )
            case .malformedCertificate where FoundFile(path)?.isKeyStore == true:
                (
                    .malformedInput, "the file is a PKCS#12 file, not a certificate",
                    Sentence(.useCertificateOfKeyStore, path)
                )
            case .limitExceeded: (.malformedInput, error.detail, Sentence(.stayBelowLimit))
            case .javaKeyStore:
                (
                    .malformedInput, "the file is a Java key store (\(error.detail)), not PKCS#12",
                    Sentence(.convertKeyStore, path, error.detail)
                )
            default: (.malformedInput, error.detail, nil)
            }
        self.init(code, file: path, message, hint: hint)
    }

    private init(_ path: String, _ error: HTTPError) {
        if error.code == .badAddress {
            self.init(.usage, "'\(path)' \(error.detail)", hint: Sentence(.writeAddress))
        } else {
            self.init(.serviceUnavailable, file: path, error.detail)
        }
    }

    /// The most important failure determines code and hint; the message contains all reasons.
    private init(_ path: String, _ error: TimestampServiceError) {
        let code: Code =
            switch error.worst?.code {
            case .loginRefused: .credentialRefused
            case .wrongAnswer: .wrongAnswer
            case .unavailable, nil: .serviceUnavailable
            }
        let reasons = error.failures.map { "\($0.server): \($0.detail)" }
        self.init(
            code, file: path, "no timestamp: " + reasons.joined(separator: "; "),
            hint: error.worst?.hint)
    }

    private init(_ path: String, _ error: CMSError) {
        guard error.code == .signingFailed, let failure = error.cause as? SigningFailure,
            failure.code != .failed
        else {
            let cause = error.cause.map { ": \($0)" } ?? ""
            self.init(.malformedInput, file: path, error.detail + cause)
            return
        }
        self.init(failure, key: path)
    }

    /// Error codes for which the message names the input file.
    private static let codesOfInputs: Set<Code> = [
        .usage, .malformedInput, .credentialRefused, .serviceUnavailable,
    ]

    /// - Parameter key: name of the key. The error contains it if the failure has another error as
    ///   its cause.
    init(_ error: SigningFailure, key: String? = nil) {
        // An error that already is a SignetError is passed on unchanged.
        if let known = error.cause as? SignetError {
            self = known
            return
        }
        let code: Code =
            switch error.code {
            case .usage, .unsupported: .usage
            case .missing: .missingInput
            case .refused, .wrongAnswer: .credentialRefused
            case .unavailable, .removed: .serviceUnavailable
            case .failed: .malformedInput
            }
        self.init(code, file: error.cause == nil ? nil : key, error.detail, hint: error.hint)
    }

    private init(_ path: String, _ error: PAdESError) {
        let code: Code =
            switch error.code {
            case .fieldAmbiguous, .fieldNotUsable, .fieldTaken, .fieldNameInvalid, .coversField,
                .constraintInvalid:
                .usage
            case .notPermitted, .notPermittedToRecipient: .credentialRefused
            default: .malformedInput
            }
        self.init(code, file: path, error.detail, hint: Self.hint(path, for: error.code))
    }

    private static func hint(_ path: String, for code: PAdESError.Code) -> Sentence? {
        switch code {
        case .fieldAmbiguous: Sentence(.nameFieldOrAdd)
        case .fieldNotUsable: Sentence(.seeFieldsOrAdd, path)
        case .fieldTaken: Sentence(.chooseOtherFieldName, path)
        case .nothingPending: Sentence(.getPreparedFile)
        case .forbiddenByEarlierSignature, .certifiedWithoutChanges:
            Sentence(.askAuthorForPermission)
        case .certifiesTooLate: Sentence(.doNotCertify)
        case .visibleFieldForbidden: Sentence(.signUnseenOrInField)
        case .fieldLocked: Sentence(.signInOtherField)
        case .earlierSignatureFails: Sentence(.allowFailed, path)
        case .earlierSignaturePending: Sentence(.embedFirst, path)
        case .marksBreakSignature: Sentence(.doNotMark)
        case .coversField: Sentence(.coverNoField)
        case .timestampDemanded: Sentence(.giveAuthorityOrOtherField, path)
        case .reasonDemanded: Sentence(.giveReason, path)
        case .seedValueUnmet: Sentence(.useOrAddField, path)
        case .lockLevelUnmet: Sentence(.leaveOutLockLevel)
        case .notPermitted: Sentence(.giveOwnerPassword)
        case .notPermittedToRecipient: Sentence(.giveOwnerKey)
        case .integrityProtected: Sentence(.askForWhole)
        case .reservationExceeded: Sentence(.prepareWithRoom)
        case .dynamicXFA: Sentence(.printForm)
        case .fieldNameInvalid, .constraintInvalid, .malformedForm, .damagedAndSigned: nil
        }
    }

    private init(_ path: String, _ error: AppearanceError) {
        let (code, hint): (Code, Sentence?) =
            switch error.code {
            case .boxOffPage, .badSize: (.usage, Sentence(.chooseOtherPlaceOrSize))
            case .pageDisputed: (.malformedInput, Sentence(.useRectangleOrRemake))
            case .stampCollapses: (.usage, Sentence(.enlargeOrUseRectangle))
            case .textDoesNotFit: (.usage, Sentence(.enlargeOrShorten))
            case .codeTooSmall: (.usage, Sentence(.enlargeOrShortenCode))
            case .badInk: (.malformedInput, Sentence(.giveStrokes))
            case .noInk: (.malformedInput, nil)
            case .badPicture:
                (
                    .malformedInput,
                    Sentence(.givePicture, PictureFormats.names.joined(separator: " or a "))
                )
            case .libraryMissing: (.missingInput, Sentence(.install))
            case .colorsNotPermitted: (.malformedInput, Sentence(.givePictureInKnownColours))
            case .characterNotInFont: (.usage, Sentence(.useLatinLetters))
            }
        self.init(code, file: path, error.detail, hint: hint)
    }
}

extension Sentence {
    /// The sentence with the name of its file as the last fact.
    func naming(_ path: String) -> Sentence { Sentence(code, facts: facts + [path]) }
}
