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
                .malformedInput, file: path, error.detail, advice: error.advice)
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
            self.init(.missingInput, file: file, error.detail, advice: .output(.checkPath))
        case .unreadable:
            self.init(.missingInput, file: file, error.detail, advice: .output(.checkPermissions))
        case .notAFile:
            self.init(
                .missingInput, file: file, error.detail,
                advice: .output(.nameFileOrRecurse))
        case .exists:
            self.init(
                .outputRefused, file: file, "exists already",
                advice: .output(.forceOrRename))
        case .folderMissing:
            self.init(.outputRefused, file: file, error.detail, advice: .output(.makeFolderFirst))
        case .cannotCreate:
            self.init(
                .outputRefused, file: file, error.detail,
                advice: .output(.writeElsewhereOrPermit))
        case .doubleOutput:
            self.init(
                .usage, file: file, error.detail,
                advice: .output(.givePlaces))
        case .overInput:
            self.init(
                .usage, file: file, error.detail,
                advice: .output(.writeElsewhereOrSkip))
        case .changed:
            self.init(
                .outputRefused, file: file, error.detail,
                advice: .output(.runAgain))
        case .busy:
            self.init(
                .outputRefused, file: file, error.detail, advice: .output(.runAgainLater))
        case .foreign:
            self.init(
                .credentialRefused, file: file, error.detail,
                advice: .output(.setHome))
        case .diskFull:
            self.init(
                .inputOutput, file: file, error.detail,
                advice: .output(.freeSpace))
        case .tooLarge, .malformed: self.init(.malformedInput, file: file, error.detail)
        case .io: self.init(.inputOutput, file: file, error.detail)
        }
    }

    private init(_ path: String, _ error: PDFError) {
        switch error.code {
        case .passwordNeeded, .encrypted:
            self.init(
                .credentialRefused, file: path, "the document is encrypted, a password is needed",
                advice: .general(.use(.password)))
        case .wrongPassword:
            self.init(
                .credentialRefused, file: path, error.detail,
                advice: .document(.checkPassword))
        case .keyNeeded:
            self.init(
                .credentialRefused, file: path, error.detail,
                advice: .document(.nameDecryptionKey))
        case .wrongKey:
            self.init(
                .credentialRefused, file: path, error.detail,
                advice: .document(.nameDecryptionKeyAndCertificate))
        case .unsupportedEncryption:
            self.init(
                .malformedInput, file: path, error.description,
                advice: .document(.askForOtherEncryption))
        case .wrongTag:
            self.init(
                .malformedInput, file: path, error.description, advice: .document(.getAgain))
        default:
            self.init(
                .malformedInput, file: path, error.description,
                advice: .document(.checkOrAskForWhole))
        }
    }

    private init(_ path: String, _ error: CryptoError) {
        switch error.code {
        case .wrongPassphrase:
            self.init(
                .credentialRefused, file: path, "the passphrase is wrong",
                advice: .key(.checkPassphrase))
        case .passphraseNeeded:
            self.init(
                .credentialRefused, file: path, "a passphrase is needed",
                advice: .general(.use(.passphrase)))
        case .keyMismatch:
            self.init(
                .credentialRefused, file: path, error.detail,
                advice: .key(.useIssuedCertificate))
        case .noRandomness: self.init(.inputOutput, file: path, error.detail)
        default: self.init(.malformedInput, file: path, error.detail)
        }
    }

    private init(_ path: String, _ error: HTTPError) {
        if error.code == .badAddress {
            self.init(
                .usage, file: path, error.detail,
                advice: .authority(.writeAddress))
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
            advice: error.worst?.advice)
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
            code, file: error.cause == nil ? nil : key, error.detail,
            advice: error.advice)
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
        self.init(code, file: path, error.detail, advice: Self.advice(path, error.code))
    }

    private static func advice(_ path: String, _ code: PAdESError.Code) -> Advice? {
        switch code {
        case .fieldAmbiguous:
            .document(.nameFieldOrAdd)
        case .fieldNotUsable:
            .document(.seeFieldsOrAdd(file: path))
        case .fieldTaken:
            .document(.chooseOtherFieldName(file: path))
        case .nothingPending: .document(.getPreparedFile)
        case .forbiddenByEarlierSignature:
            .document(.askAuthorForPermission)
        case .certifiesTooLate: .document(.doNotCertify)
        case .visibleFieldForbidden:
            .document(.signUnseenOrInField)
        case .fieldLocked: .document(.signInOtherField)
        case .earlierSignatureFails:
            .document(.allowFailed(file: path))
        case .marksBreakSignature:
            .document(.doNotMark)
        case .coversField:
            .document(.coverNoField)
        case .timestampDemanded:
            .document(.giveAuthorityOrOtherField(file: path))
        case .reasonDemanded: .document(.giveReason(file: path))
        case .seedValueUnmet:
            .document(.useOrAddField(file: path))
        case .lockLevelUnmet: .document(.leaveOutLockLevel)
        case .notPermitted: .document(.giveOwnerPassword)
        case .notPermittedToRecipient: .document(.giveOwnerKey)
        case .integrityProtected: .document(.askForWhole)
        case .reservationExceeded:
            .document(.prepareWithRoom)
        case .fieldNameInvalid, .constraintInvalid, .certifiedWithoutChanges, .dynamicXFA,
            .malformedForm, .damagedAndSigned:
            nil
        }
    }

    private init(_ path: String, _ error: AppearanceError) {
        switch error.code {
        case .boxOffPage, .badSize:
            self.init(
                .usage, file: path, error.detail,
                advice: .place(.chooseOtherPlaceOrSize))
        case .pageDisputed:
            self.init(
                .malformedInput, file: path, error.detail,
                advice: .place(.useRectangleOrRemake))
        case .stampCollapses:
            self.init(
                .usage, file: path, error.detail,
                advice: .place(.enlargeOrUseRectangle))
        case .textDoesNotFit:
            self.init(
                .usage, file: path, error.detail,
                advice: .text(.enlargeOrShorten))
        case .badInk:
            self.init(
                .malformedInput, file: path, error.detail,
                advice: .stamp(.giveStrokes))
        case .noInk: self.init(.malformedInput, file: path, error.detail)
        case .badPicture:
            self.init(
                .malformedInput, file: path, error.detail, advice: .stamp(.givePicture))
        case .libraryMissing:
            self.init(.missingInput, file: path, error.detail, advice: .general(.install))
        case .colorsNotPermitted:
            self.init(
                .malformedInput, file: path, error.detail,
                advice: .stamp(.givePictureInKnownColours))
        case .characterNotInFont:
            self.init(
                .usage, file: path, error.detail,
                advice: .text(.useLatinLetters))
        }
    }
}
