import Appearance
import ByteKit
import CMSKit
import CryptoBridge
package import FileBridge
import NetworkBridge
import PAdES
import PDFCore
import PhotoPDF
import TimestampClient

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
                .malformedInput, file: path, error.detail, hint: error.advice.map { Wording($0) })
        case let error as CMSError: self.init(path, error)
        case let error as SigningFailure: self.init(error, key: path)
        case let error as HTTPError: self.init(path, error)
        case let error as TimestampServiceError: self.init(path, error)
        default:
            self.init(.internalFailure, file: path, "unexpected failure: \(error)")
        }
    }

    package init(_ error: FileError) {
        let file = error.path
        switch error.code {
        case .missing:
            self.init(.missingInput, file: file, error.detail, hint: "check the path")
        case .unreadable:
            self.init(.missingInput, file: file, error.detail, hint: "check its permissions")
        case .notAFile:
            self.init(
                .missingInput, file: file, error.detail,
                hint: "name a file, or use \(.recursive) where that is possible")
        case .exists:
            self.init(
                .outputRefused, file: file, "exists already",
                hint: "use \(.force) to replace it, or name another output")
        case .folderMissing:
            self.init(.outputRefused, file: file, error.detail, hint: "make the folder first")
        case .cannotCreate:
            self.init(
                .outputRefused, file: file, error.detail,
                hint: "write elsewhere with \(.output), or check the folder's permissions")
        case .doubleOutput:
            self.init(
                .usage, file: file, error.detail,
                hint: "give each input once, and each output a place of its own")
        case .overInput:
            self.init(
                .usage, file: file, error.detail,
                hint: "write elsewhere with \(.output), or pass over what was done before with "
                    + "\(.skipExisting)")
        case .changed:
            self.init(
                .outputRefused, file: file, error.detail,
                hint: "run the command again; what is there now was left alone")
        case .busy:
            self.init(
                .outputRefused, file: file, error.detail, hint: "run the command again later")
        case .foreign:
            self.init(
                .credentialRefused, file: file, error.detail,
                hint: "set HOME or XDG_DATA_HOME to a folder of your own")
        case .diskFull:
            self.init(
                .inputOutput, file: file, error.detail,
                hint: "free some space; nothing was left behind")
        case .tooLarge, .malformed: self.init(.malformedInput, file: file, error.detail)
        case .io: self.init(.inputOutput, file: file, error.detail)
        }
    }

    private init(_ path: String, _ error: PDFError) {
        switch error.code {
        case .passwordNeeded, .encrypted:
            self.init(
                .credentialRefused, file: path, "the document is encrypted, a password is needed",
                hint: "use \(giving: .password)")
        case .wrongPassword:
            self.init(
                .credentialRefused, file: path, error.detail,
                hint: "check it, the user's or the owner's; \(.password) takes the first line")
        case .keyNeeded:
            self.init(
                .credentialRefused, file: path, error.detail,
                hint: "name the private key of one of them with \(giving: .decryptionKey)")
        case .wrongKey:
            self.init(
                .credentialRefused, file: path, error.detail,
                hint:
                    "name the private key of one of them with \(giving: .decryptionKey), its certificate "
                    + "with \(giving: .decryptionCertificate)")
        case .unsupportedEncryption:
            self.init(
                .malformedInput, file: path, error.description,
                hint: "ask its sender for the document with another encryption, or without")
        default:
            self.init(
                .malformedInput, file: path, error.description,
                hint: "check the file with a PDF reader, or ask its sender for a whole one")
        }
    }

    private init(_ path: String, _ error: CryptoError) {
        switch error.code {
        case .wrongPassphrase:
            self.init(
                .credentialRefused, file: path, "the passphrase is wrong",
                hint: "check it; \(.passphrase) takes the first line of the file")
        case .passphraseNeeded:
            self.init(
                .credentialRefused, file: path, "a passphrase is needed",
                hint: "use \(giving: .passphrase)")
        case .keyMismatch:
            self.init(
                .credentialRefused, file: path, error.detail,
                hint: "give the certificate that was issued for this key")
        case .noRandomness: self.init(.inputOutput, file: path, error.detail)
        default: self.init(.malformedInput, file: path, error.detail)
        }
    }

    private init(_ path: String, _ error: HTTPError) {
        if error.code == .badAddress {
            self.init(
                .usage, file: path, error.detail,
                hint: "write it like https://tsa.example/path, a login apart with \(.tsaLogin)")
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
            hint: error.worst?.advice.map { Wording($0) })
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
            hint: error.advice.map { Wording($0) })
    }

    private static func allDemands(_ path: String) -> Wording {
        "; all that the fields demand: \(task: .listFields(file: path))"
    }

    private init(_ path: String, _ error: PAdESError) {
        let code: Code =
            switch error.code {
            case .fieldAmbiguous, .fieldNotUsable, .fieldTaken, .fieldNameInvalid, .coversField,
                .constraintInvalid:
                .usage
            case .notPermitted: .credentialRefused
            default: .malformedInput
            }
        self.init(code, file: path, error.detail, hint: Self.hint(path, error.code))
    }

    private static func hint(_ path: String, _ code: PAdESError.Code) -> Wording? {
        switch code {
        case .fieldAmbiguous:
            "name one of them with \(.field), or add another with \(.newField)"
        case .fieldNotUsable:
            "see the fields with: \(task: .show(file: path)); or add one with \(.newField)"
        case .fieldTaken:
            "choose another name; see the fields with: \(task: .listFields(file: path))"
        case .nothingPending: "give the file that \(task: .prepareRemoteSignature) wrote"
        case .forbiddenByEarlierSignature:
            "ask its author for a document that permits what you want to add"
        case .certifiesTooLate: "sign without \(.certification)"
        case .visibleFieldForbidden:
            "sign invisibly, without a place, or in a field that is there: \(.field)"
        case .fieldLocked: "sign in another field: \(.field), or \(.newField)"
        case .earlierSignatureFails:
            "to sign it all the same: \(.allowFailed); to see what was changed: \(task: .verify(file: path))"
        case .marksBreakSignature:
            "leave out \(.mark); only a document without signatures can be marked"
        case .coversField:
            "choose another place with \(.place) or \(.mark), or sign that field with \(.field)"
        case .timestampDemanded:
            "give \(giving: .tsa), or use another field with \(.field)\(allDemands(path))"
        case .reasonDemanded: "give one of these with \(.reason)\(allDemands(path))"
        case .seedValueUnmet:
            "use another field with \(.field), or add one with \(.newField)\(allDemands(path))"
        case .notPermitted: "give the owner password with \(giving: .password)"
        case .integrityProtected: "ask its sender for a whole one"
        case .reservationExceeded:
            "prepare it with \(.level, "T") to leave room for a time stamp"
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
                hint: "choose another place with \(.place), or a smaller \(.size) or \(.margin)")
        case .pageDisputed:
            self.init(
                .malformedInput, file: path, error.detail,
                hint:
                    "say the place in the page's own units with \(.rectangle), or have the document made anew"
            )
        case .stampCollapses:
            self.init(
                .usage, file: path, error.detail,
                hint:
                    "use a larger \(.size), or say the place in the page's own units with \(.rectangle)"
            )
        case .textDoesNotFit:
            self.init(
                .usage, file: path, error.detail,
                hint: "use a larger \(.size), a shorter \(.text), or \(.noText)")
        case .badInk:
            self.init(
                .malformedInput, file: path, error.detail,
                hint: "give paths as plain SVG, or strokes as JSON")
        case .noInk: self.init(.malformedInput, file: path, error.detail)
        case .badPicture:
            self.init(
                .malformedInput, file: path, error.detail, hint: "give a PNG or a JPEG picture")
        case .libraryMissing:
            self.init(.missingInput, file: path, error.detail, hint: "install it, and try again")
        case .colorsNotPermitted:
            self.init(
                .malformedInput, file: path, error.detail,
                hint: "give a picture in red, green and blue, or in grey")
        case .characterNotInFont:
            self.init(
                .usage, file: path, error.detail,
                hint: "say it in Latin letters with \(.text), or use \(.noText)")
        }
    }
}
