import Base
import CMSKit
import CryptoBridge
import NetworkBridge
import PDFCore
import PDFSigning
import Pages
package import SystemBridge
import TimestampKit

/// Runs `body`, which reads `path`, and says whose failure it was.
func reading<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch {
        throw SignetError(reading: path, error)
    }
}

/// Runs `body`, which writes `path`.
func writing<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let error as FileError {
        throw SignetError(error)
    }
}

extension SignetError {
    /// What a failure of a lower storey means for someone who gave the file `path`.
    init(reading path: String, _ error: any Error) {
        switch error {
        case let known as SignetError
        where Self.codesOfInputs.contains(known.code) && known.file == nil:
            // Of several files, the one for which the request makes no sense.
            self.init(known.code, file: path, known.message, hint: known.hint)
        case let known as SignetError: self = known
        case let error as FileError: self.init(error)
        case let error as SourceError:
            self.init(.inputOutput, file: path, error.detail)
        case let error as PDFError: self.init(path, error)
        case let error as CryptoError: self.init(path, error)
        case let error as PAdESError: self.init(path, error)
        case let error as AppearanceError: self.init(path, error)
        case let error as PhotoError:
            self.init(
                .malformedInput, file: path, error.detail, hint: error.hint)
        case let error as CMSError: self.init(path, error)
        case let error as SigningFailure: self.init(error, key: path)
        case let error as HTTPError: self.init(path, error)
        case let error as TimestampServiceError: self.init(path, error)
        default:
            self.init(.internalFailure, file: path, "unexpected failure: \(error)")
        }
    }

    /// What no task has put into words: of a mere lack of random numbers none need to.
    package init(unforeseen error: any Error) {
        switch error {
        case let known as SignetError: self = known
        case let error as CryptoError where error.code == .noRandomness:
            self.init(.inputOutput, error.detail)
        default: self.init(.internalFailure, "unexpected failure: \(error)")
        }
    }

    package init(_ error: FileError) {
        let file = error.path
        switch error.code {
        case .missing:
            self.init(.missingInput, file: file, error.detail, hint: Sentence(.checkPath))
        case .unreadable:
            self.init(.missingInput, file: file, error.detail, hint: Sentence(.checkPermissions))
        case .notAFile:
            self.init(.missingInput, file: file, error.detail, hint: Sentence(.nameFileOrRecurse))
        case .exists:
            self.init(.outputRefused, file: file, "exists already", hint: Sentence(.forceOrRename))
        case .folderMissing:
            self.init(.outputRefused, file: file, error.detail, hint: Sentence(.makeFolderFirst))
        case .cannotCreate:
            self.init(
                .outputRefused, file: file, error.detail, hint: Sentence(.writeElsewhereOrPermit))
        case .doubleOutput:
            self.init(.usage, file: file, error.detail, hint: Sentence(.givePlaces))
        case .overInput:
            self.init(.usage, file: file, error.detail, hint: Sentence(.writeElsewhereOrSkip))
        case .changed:
            self.init(.outputRefused, file: file, error.detail, hint: Sentence(.runAgain))
        case .busy:
            self.init(.outputRefused, file: file, error.detail, hint: Sentence(.runAgainLater))
        case .foreign:
            self.init(.credentialRefused, file: file, error.detail, hint: Sentence(.setHome))
        case .diskFull:
            self.init(.inputOutput, file: file, error.detail, hint: Sentence(.freeSpace))
        case .tooLarge, .malformed: self.init(.malformedInput, file: file, error.detail)
        case .io: self.init(.inputOutput, file: file, error.detail)
        }
    }

    private init(_ path: String, _ error: PDFError) {
        switch error.code {
        case .passwordNeeded, .encrypted:
            self.init(
                .credentialRefused, file: path, "the document is encrypted, a password is needed",
                hint: Sentence(.useSecret, "password"))
        case .wrongPassword:
            self.init(.credentialRefused, file: path, error.detail, hint: Sentence(.checkPassword))
        case .keyNeeded:
            self.init(
                .credentialRefused, file: path, error.detail, hint: Sentence(.nameDecryptionKey))
        case .wrongKey:
            self.init(
                .credentialRefused, file: path, error.detail,
                hint: Sentence(.nameDecryptionKeyAndCertificate))
        case .unsupportedEncryption:
            self.init(
                .malformedInput, file: path, error.description,
                hint: Sentence(.askForOtherEncryption))
        case .wrongTag:
            self.init(.malformedInput, file: path, error.description, hint: Sentence(.getAgain))
        default:
            self.init(
                .malformedInput, file: path, error.description, hint: Sentence(.checkOrAskForWhole))
        }
    }

    private init(_ path: String, _ error: CryptoError) {
        switch error.code {
        case .wrongPassphrase:
            self.init(
                .credentialRefused, file: path, "the passphrase is wrong",
                hint: Sentence(.checkPassphrase))
        case .passphraseNeeded:
            self.init(
                .credentialRefused, file: path, "a passphrase is needed",
                hint: Sentence(.useSecret, "passphrase"))
        case .keyMismatch:
            self.init(
                .credentialRefused, file: path, error.detail, hint: Sentence(.useIssuedCertificate))
        case .noRandomness: self.init(.inputOutput, file: path, error.detail)
        default: self.init(.malformedInput, file: path, error.detail)
        }
    }

    private init(_ path: String, _ error: HTTPError) {
        if error.code == .badAddress {
            self.init(.usage, file: path, error.detail, hint: Sentence(.writeAddress))
        } else {
            self.init(.serviceUnavailable, file: path, error.detail)
        }
    }

    /// What weighs most decides the code and the hint; all reasons are told.
    private init(_ path: String, _ error: TimestampServiceError) {
        let code: Code =
            switch error.worst?.code {
            case .loginRefused: .credentialRefused
            case .wrongAnswer: .wrongAnswer
            case .unavailable, nil: .serviceUnavailable
            }
        let reasons = error.failures.map { "\($0.server): \($0.detail)" }
        self.init(
            code, file: path, "no time stamp: " + reasons.joined(separator: "; "),
            hint: error.worst?.hint)
    }

    private init(_ path: String, _ error: CMSError) {
        guard error.code == .signingFailed, let failure = error.cause as? SigningFailure,
            failure.code != .failed
        else {
            self.init(.malformedInput, file: path, error.description)
            return
        }
        self.init(failure, key: path)
    }

    /// Failures of which the input that was worked on is to be named.
    private static let codesOfInputs: Set<Code> = [
        .usage, .malformedInput, .credentialRefused, .serviceUnavailable,
    ]

    /// - Parameter key: what messages call the key; named where the signer reports an error of its own,
    ///   which does not say whose it is. Else whoever reads a file says at which one the key failed.
    init(_ error: SigningFailure, key: String? = nil) {
        // What a signer of another storey's reports in its own words keeps them.
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
        self.init(
            code, file: error.cause == nil ? nil : key, error.detail, hint: error.hint)
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
        self.init(code, file: path, error.detail, hint: Self.hint(path, error.code))
    }

    private static func hint(_ path: String, _ code: PAdESError.Code) -> Sentence? {
        switch code {
        case .fieldAmbiguous:
            Sentence(.nameFieldOrAdd)
        case .fieldNotUsable:
            Sentence(.seeFieldsOrAdd, path)
        case .fieldTaken:
            Sentence(.chooseOtherFieldName, path)
        case .nothingPending: Sentence(.getPreparedFile)
        case .forbiddenByEarlierSignature:
            Sentence(.askAuthorForPermission)
        case .certifiesTooLate: Sentence(.doNotCertify)
        case .visibleFieldForbidden:
            Sentence(.signUnseenOrInField)
        case .fieldLocked: Sentence(.signInOtherField)
        case .earlierSignatureFails:
            Sentence(.allowFailed, path)
        case .marksBreakSignature:
            Sentence(.doNotMark)
        case .coversField:
            Sentence(.coverNoField)
        case .timestampDemanded:
            Sentence(.giveAuthorityOrOtherField, path)
        case .reasonDemanded: Sentence(.giveReason, path)
        case .seedValueUnmet:
            Sentence(.useOrAddField, path)
        case .lockLevelUnmet: Sentence(.leaveOutLockLevel)
        case .notPermitted: Sentence(.giveOwnerPassword)
        case .notPermittedToRecipient: Sentence(.giveOwnerKey)
        case .integrityProtected: Sentence(.askForWhole)
        case .reservationExceeded:
            Sentence(.prepareWithRoom)
        case .fieldNameInvalid, .constraintInvalid, .certifiedWithoutChanges, .dynamicXFA,
            .malformedForm, .damagedAndSigned:
            nil
        }
    }

    private init(_ path: String, _ error: AppearanceError) {
        switch error.code {
        case .boxOffPage, .badSize:
            self.init(.usage, file: path, error.detail, hint: Sentence(.chooseOtherPlaceOrSize))
        case .pageDisputed:
            self.init(
                .malformedInput, file: path, error.detail, hint: Sentence(.useRectangleOrRemake))
        case .stampCollapses:
            self.init(.usage, file: path, error.detail, hint: Sentence(.enlargeOrUseRectangle))
        case .textDoesNotFit:
            self.init(.usage, file: path, error.detail, hint: Sentence(.enlargeOrShorten))
        case .badInk:
            self.init(.malformedInput, file: path, error.detail, hint: Sentence(.giveStrokes))
        case .noInk: self.init(.malformedInput, file: path, error.detail)
        case .badPicture:
            self.init(.malformedInput, file: path, error.detail, hint: Sentence(.givePicture))
        case .libraryMissing:
            self.init(.missingInput, file: path, error.detail, hint: Sentence(.install))
        case .colorsNotPermitted:
            self.init(
                .malformedInput, file: path, error.detail,
                hint: Sentence(.givePictureInKnownColours))
        case .characterNotInFont:
            self.init(.usage, file: path, error.detail, hint: Sentence(.useLatinLetters))
        }
    }
}
