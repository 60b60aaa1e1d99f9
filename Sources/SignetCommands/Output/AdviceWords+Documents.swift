import SignetKit

extension CommandLineVocabulary {
    func words(for advice: Advice.Document) -> Wording {
        switch advice {
        case .addAuthorityOrPrepareAnew: "add \(giving: .tsa), or prepare it again for level B"
        case .agree(let settings):
            "if you agree, say so: \(settings); or sign in a field of your own: \(.newField)"
        case .allowDamaged:
            "ask the sender for an undamaged file, or accept this one with \(.allowDamaged)"
        case .allowFailed(let file):
            "to sign it all the same: \(.allowFailed); to see what was changed: \(task: .verify(file: file))"
        case .askAuthorForPermission: "ask its author for one that permits what you want to add"
        case .askForOtherEncryption:
            "if it is signed, use a program that knows this encryption (another one would break its signatures); else ask its sender for it with another encryption, or without"
        case .askForWhole: "ask its sender for a whole one"
        case .certify(let limit): "to limit later changes: \(.certification, limit.rawValue)"
        case .checkOrAskForWhole:
            "open the file in a PDF viewer, or ask the sender for a complete one"
        case .checkPassword:
            "check it, the user's or the owner's; \(.password) takes the first line"
        case .chooseOtherFieldName(let file):
            "choose another name; see the fields with: \(task: .listFields(file: file))"
        case .coverNoField:
            "choose another place with \(.place) or \(.mark), or sign that field with \(.field)"
        case .doNotCertify: "sign without \(.certification)"
        case .doNotMark: "leave out \(.mark); only a document without signatures can be marked"
        case .getAgain: "get the document again from where it came"
        case .getPreparedFile: "give the file that \(task: .prepareRemoteSignature) wrote"
        case .giveAuthorityOrOtherField(let file):
            "give \(giving: .tsa), or use another field with \(.field)\(allDemands(file))"
        case .giveOwnerKey: "give the key of one who may do more with \(giving: .decryptionKey)"
        case .giveOwnerPassword: "give the owner password with \(giving: .password)"
        case .giveReason(let file): "give one of these with \(.reason)\(allDemands(file))"
        case .identify(let file): "check what it is with: file \(file)"
        case .leaveOutLockLevel: "leave out \(.lockLevel), or use another field with \(.field)"
        case .lock(let fields): "to lock these: \(.lock, fields)"
        case .makeWithoutOrUnstrictly: "remove these from the document, or sign without \(.strict)"
        case .meantField(let name): "did you mean \(name)? \(.newField) adds one of another name"
        case .nameDecryptionKey:
            "name the private key of one of them with \(giving: .decryptionKey)"
        case .nameDecryptionKeyAndCertificate:
            "name the private key of one of them with \(giving: .decryptionKey), its certificate with \(giving: .decryptionCertificate)"
        case .nameEachField: "give each field a name of its own"
        case .nameFieldOrAdd: "name one of them with \(.field), or add another with \(.newField)"
        case .numberSignature(let count): "give a number from 1 to \(count)"
        case .prepareAnew: "prepare it again, and have the new hash signed"
        case .prepareWithRoom: "prepare it with \(.level, "T") to leave room for a time stamp"
        case .seeFields(let file): "see the fields with: \(task: .show(file: file))"
        case .seeFieldsOrAdd(let file):
            "see the fields with: \(task: .show(file: file)); or add one with \(.newField)"
        case .seeWhatItIs(let file): "see what it is: \(task: .show(file: file))"
        case .signHashWritten:
            "sign exactly the hash that was written, with the key of that certificate"
        case .signInOtherField: "sign in another field: \(.field), or \(.newField)"
        case .signUnseenOrInField: "sign invisibly, or in a field that is there: \(.field)"
        case .useOrAddField(let file):
            "use another field with \(.field), or add one with \(.newField)\(allDemands(file))"
        case .verifyAgain: "verify it once more"
        }
    }

    func words(for advice: Advice.Output) -> Wording {
        switch advice {
        case .checkPath: "check the path"
        case .checkPermissions: "check its permissions"
        case .lookOrReplace:
            "look what it is; \(.force) instead of \(.skipExisting) replaces it"
        case .forceOrRename: "use \(.force) to replace it, or name another output"
        case .freeSpace: "free some space; nothing was left behind"
        case .giveFolder: "give a folder: \(giving: .outputFolder)"
        case .givePlaces: "give each input once, and each output a place of its own"
        case .includeOthers: "name others with \(.include)"
        case .makeFolder(let folder): "to have a folder made, end its name in a slash: \(folder)/"
        case .makeFolderFirst: "make the folder first"
        case .nameAnotherOrRemove: "name another file, or remove this one first"
        case .nameFileOrRecurse: "name a file, or use \(.recursive) where that is possible"
        case .nameThemOrWriteElsewhere:
            "name them, or have the outputs in a folder: \(giving: .outputFolder)"
        case .replaceInput: "to replace the input, use \(.inPlace) instead of \(.output)"
        case .runAgain: "run the command again; what is there now was left alone"
        case .runAgainLater: "run the command again later"
        case .setHome: "set HOME or XDG_DATA_HOME to a folder of your own"
        case .writeElsewhere: "write elsewhere with \(.output)"
        case .writeElsewhereOrPermit:
            "write elsewhere with \(.output), or check the folder's permissions"
        case .writeElsewhereOrSkip:
            "write elsewhere with \(.output), or pass over what was done before with \(.skipExisting)"
        case .writeIntoFile: "write it into a file: \(giving: .output), or > FILE"
        }
    }

    func words(for advice: Advice.Message) -> Wording {
        switch advice {
        case .decryptFirst: "decrypt it first: openssl cms -decrypt -inform DER -in FILE -inkey KEY"
        case .detach: "leave out \(.attached): a detached signature has no limit"
        case .extendByItsMaker: "have it extended by the program that made it"
        case .giveMessage: "give a .p7s or .p7m file: DER, PEM or base64"
        case .isOtherKind: "an encrypted, compressed or bare digest message has no signature"
        case .leaveOutContent: "a PDF carries its signatures itself: leave out \(.content)"
        case .nameContent: "name what was signed with \(giving: .content)"
        case .renameDocument: "if it is a signed document, give it a name that ends in .pdf"
        case .saveAttachment: "save its attachment smime.p7m or smime.p7s, and verify that"
        case .seeWhatFails(let file):
            "see: \(task: .verify(file: file)); nothing is added to a signature that does not stand"
        case .signAnew: "sign the file anew: \(task: .sign(level: nil))"
        case .verifyBeside(let file): "its signature is beside it: \(task: .verify(file: file))"
        }
    }

    func words(for advice: Advice.Evidence) -> Wording {
        switch advice {
        case .addRoot: "add its root with \(giving: .trust)"
        case .addRootOfAuthority:
            "add its root with \(giving: .trust) (\(.tsaTrust) is for TLS, \(.tsaAnchor) for level T)"
        case .giveList(let isNewer, let signsLower):
            "\(isNewer ? "with a newer revocation list" : "if you have its revocation list"): \(giving: .revocationList)"
                + (signsLower ? "; else sign with \(.level, "T")" : "")
        case .leaveOutOrGiveAnother:
            "leave it out, or give one that is about their certificates and still counts"
        case .nameIssuer(let name):
            "name the certificate of \(name) with \(giving: .chain), or with \(giving: .trust) if it is a root"
        case .renewToKeep(let file): "to keep it so: \(task: .extend(file: file, renewing: true))"
        case .seeUnwritten(let file): "nothing was written; see: \(task: .verify(file: file))"
        case .seeWhatFails(let file):
            "see: \(task: .verify(file: file)); nothing is added to a document that does not stand"
        case .signFirst: "sign it first: \(task: .sign(level: .lta))"
        case .signLowerOrPublishing:
            "sign with \(.level, "T"), or with certificates of an authority that publishes revocations; nothing was written"
        case .tryLaterOrGive:
            "try again later, take what was kept of earlier answers with \(.offline), or give \(giving: .revocationList) or \(giving: .ocspResponse)"
        case .tryLaterOrSignLower:
            "try again later, take what was kept of earlier answers with \(.offline), give \(giving: .revocationList) or \(giving: .ocspResponse), or sign with \(.level, "T") now and extend later"
        case .useOtherAuthority: "use another time-stamping authority with \(giving: .tsa)"
        case .waitForFresh: "extend it later, wait with \(.wait), or leave out \(.requireFresh)"
        }
    }

    func words(for advice: Advice.Photo) -> Wording {
        switch advice {
        case .allowMoreOrGiveFewer: "allow more with \(.maximumSize), or give fewer photos"
        case .convertHEIC:
            "make a JPEG of it first: heif-convert FILE FILE.jpg; on an iPhone choose Settings, "
                + "Camera, Formats, Most Compatible"
        case .givePicture:
            "give a picture; a PDF is signed as it is, with \(task: .sign(level: nil))"
        case .keepPhotoSize: "\(.page, "photo") keeps its size"
        case .leaveOutArchivalFormat: "leave out \(.pdfA), or use \(.gray)"
        case .leaveOutOrMakeJPEG:
            "leave those options out, or make a JPEG of it first: magick FILE FILE.jpg"
        case .makeJPEG: "make a JPEG of it first, for example: magick FILE FILE.jpg"
        case .makeOrdinaryJPEG:
            "make an ordinary JPEG of it first, for example: magick FILE FILE.jpg"
        case .onlyPhotos: "only these can be taken"
        case .pixelAsPoint: "\(.page, "photo") takes a point a pixel"
        case .scaleInstead: "give \(.scale) or \(.quality) instead of \(.maximumSize)"
        case .stripPlace: "\(.strip) leaves that out"
        case .takeStillPicture: "take a picture from it first"
        case .useSmallerMargin: "use a smaller \(.margin)"
        }
    }

    private func allDemands(_ path: String) -> Wording {
        "; all that the fields demand: \(task: .listFields(file: path))"
    }
}
