import Base
import SignetKit

extension Sentence {
    /// On the command line, with options and commands.
    var text: String {
        let pattern = Self.table[code] ?? description
        let pieces = pattern.split(separator: "{", omittingEmptySubsequences: false)
        return pieces.dropFirst().reduce(into: String(pieces[0])) { text, piece in
            let name = piece.prefix { $0 != "}" }
            guard name.endIndex < piece.endIndex, let value = value(of: name) else {
                return text += "{" + piece
            }
            text += value + piece[name.endIndex...].dropFirst()
        }
    }

    /// - Parameter name: of a placeholder; see ``table``.
    private func value(of name: Substring) -> String? {
        if name == "options" { return options }
        let isWord = name.hasPrefix("sh:")
        guard let index = Int(isWord ? name.dropFirst(3) : name), facts.indices.contains(index)
        else { return nil }
        return isWord ? ShellWord.quoted(facts[index]) : facts[index]
    }

    /// The last facts in pairs: the name of an option and its value.
    private var options: String {
        stride(from: facts.count % 2, to: facts.count, by: 2)
            .map { "--\(facts[$0]) \(ShellWord.quoted(facts[$0 + 1]))" }
            .joined(separator: " ")
    }

    /// `{0}` is the first fact, `{sh:0}` the same as a word for a shell.
    static let table: [Code: String] = [
        // Whatever it is about.
        .addCertificate: "add --cert FILE",
        .addSubject: "add --subject \"CN=...\"",
        .addTSA: "add --tsa URL",
        .didYouMean: "did you mean '{0}'?",
        .giveCertificate: "give it with --cert FILE",
        .giveContent: "name it with --content FILE",
        .giveDecryptionCertificate: "give it with --decrypt-cert FILE",
        .install: "install it, and try again",
        .installPackage: "install it: apt install {0}",
        .leaveItOut: "leave it out",
        .leaveOutDigest: "leave out --digest",
        .nameOne: "give one of them",
        .nothingWasWritten: "nothing was written",
        .options: "{options}",
        .signedAsDemanded: "{0}; as the field demands: {options}",
        .tryLater: "try again later",
        .useSecret: "use --{0}-file FILE or --{0}-env NAME",
        .words: "{0}",
        // PDF documents and their fields.
        .addAuthorityOrPrepareAnew: "add --tsa URL, or prepare it again for level B",
        .agreeToField:
            "if you agree, say so: {options}; or sign in a field of your own: --new-field",
        .allowDamaged:
            "ask the sender for an undamaged file, or accept this one with --allow-damaged",
        .allowFailed:
            "to sign it all the same: --allow-failed; to see what was changed: signet verify {sh:0}",
        .askAuthorForPermission: "ask its author for one that permits what you want to add",
        .askForOtherEncryption:
            "if it is signed, use a program that knows this encryption (another one would break its signatures); else ask its sender for it with another encryption, or without",
        .askForWhole: "ask its sender for a whole one",
        .certify: "to limit later changes: --certify {0}",
        .checkOrAskForWhole: "open the file in a PDF viewer, or ask the sender for a complete one",
        .checkPassword: "check it, the user's or the owner's; --password-file takes the first line",
        .chooseOtherFieldName: "choose another name; see the fields with: signet field list {sh:0}",
        .coverNoField: "choose another place with --at or --mark, or sign that field with --field",
        .doNotCertify: "sign without --certify",
        .doNotMark: "leave out --mark; only a document without signatures can be marked",
        .getAgain: "get the document again from where it came",
        .getPreparedFile: "give the file that signet remote prepare wrote",
        .giveAuthorityOrOtherField:
            "give --tsa URL, or use another field with --field; all that the fields demand: signet field list {sh:0}",
        .giveOwnerKey: "give the key of one who may do more with --decrypt-key SOURCE",
        .giveOwnerPassword:
            "give the owner password with --password-file FILE or --password-env NAME",
        .giveReason:
            "give one of these with --reason; all that the fields demand: signet field list {sh:0}",
        .identifyFile: "check what it is with: file {0}",
        .leaveOutLockLevel: "leave out --lock-level, or use another field with --field",
        .lockFields: "to lock these: --lock {sh:0}",
        .makeWithoutOrUnstrictly: "remove these from the document, or sign without --strict",
        .meantField: "did you mean {0}? --new-field adds one of another name",
        .nameDecryptionKey: "name the private key of one of them with --decrypt-key SOURCE",
        .nameDecryptionKeyAndCertificate:
            "name the private key of one of them with --decrypt-key SOURCE, its certificate with --decrypt-cert FILE",
        .nameEachField: "give each field a name of its own",
        .nameFieldOrAdd: "name one of them with --field, or add another with --new-field",
        .numberSignature: "give a number from 1 to {0}",
        .prepareAnew: "prepare it again, and have the new hash signed",
        .prepareWithRoom: "prepare it with --level T to leave room for a time stamp",
        .seeFields: "see the fields with: signet show {sh:0}",
        .seeFieldsOrAdd: "see the fields with: signet show {sh:0}; or add one with --new-field",
        .seeWhatItIs: "see what it is: signet show {sh:0}",
        .signHashWritten:
            "sign exactly the hash that was written, with the key of that certificate",
        .signInOtherField: "sign in another field: --field, or --new-field",
        .signUnseenOrInField: "sign invisibly, or in a field that is there: --field",
        .useOrAddField:
            "use another field with --field, or add one with --new-field; all that the fields demand: signet field list {sh:0}",
        .verifyAgain: "verify it once more",
        // What was made, and what comes next.
        .extendFurther: "signet extend {sh:0} --tsa URL",
        .extendFurtherWithList: "signet extend {sh:0} --tsa URL --crl FILE",
        .markedNothing: "--mark drew nothing: the stamp's page is the only one that was named",
        .renewFurther: "signet extend {sh:0} --tsa URL --renew",
        .renewFurtherWithList: "signet extend {sh:0} --tsa URL --renew --crl FILE",
        .verifyTrusting: "signet verify {sh:0} --trust FILE",
        // Files and folders.
        .attributesLost: "{0}: {1} of the file that it replaces could not be kept",
        .cannotExchange:
            "{0}: the file system cannot exchange files: what another program saves there at the moment of the replacement is lost",
        .cannotLock:
            "{0}: cannot be locked there: nothing keeps another run from using it at the same time, and from doing the same work",
        .checkPath: "check the path",
        .checkPermissions: "check its permissions",
        .closedToOthers: "{0}: others had access to it, and have none any more",
        .entriesWithoutPlace:
            "{0}: {1} lines of an earlier version do not say in which folder their files are, and are passed over",
        .folderLinkNotFollowed: "{0}: is a link to a folder, which is not followed; name it itself",
        .forceOrRename: "use --force to replace it, or name another output",
        .freeSpace: "free some space; nothing was left behind",
        .giveOutputFolder: "give a folder: --output FOLDER",
        .givePlaces: "give each input once, and each output a place of its own",
        .includeOthers: "name others with --include",
        .linkLeadsNowhere: "{0}: is a link that leads nowhere",
        .linkNotFollowed: "{0}: is a link, which is not followed; name it itself",
        .lookOrReplace: "look what it is; --force instead of --skip-existing replaces it",
        .makeFolder: "to have a folder made, end its name in a slash: {0}/",
        .makeFolderFirst: "make the folder first",
        .nameAnotherOrRemove: "name another file, or remove this one first",
        .nameFileOrRecurse: "name a file, or use --recursive where that is possible",
        .nameThemOrWriteElsewhere: "name them, or have the outputs in a folder: --output FOLDER",
        .otherNamesKeepContent:
            "{0}: other names of the file (hard links: {1}) keep its former content",
        .outputsPassedOver:
            "passed over: {0} called *{1}, as outputs are; name them, or have the outputs elsewhere",
        .replaceInput: "to replace the input, use --in-place instead of --output",
        .runAgain: "run the command again; what is there now was left alone",
        .runAgainLater: "run the command again later",
        .setHome: "set HOME or XDG_DATA_HOME to a folder of your own",
        .tooDeep: "{0}: is not searched: over {1} folders in each other",
        .writeElsewhere: "write elsewhere with --output",
        .writeElsewhereOrPermit: "write elsewhere with --output, or check the folder's permissions",
        .writeElsewhereOrSkip:
            "write elsewhere with --output, or pass over what was done before with --skip-existing",
        .writeIntoFile: "write it into a file: --output FILE, or > FILE",
        // Places of stamps and marks.
        .addPlace: "add a place: --at last:bottom-right",
        .checkWords: "check the words, also upper and lower case; a scan has no text",
        .chooseNextFreePlace: "choose another place, or the next free one: --at auto",
        .chooseOtherPlaceOrSize: "choose another place with --at, or a smaller --size or --margin",
        .chooseOtherPlaceOrUnstrictly: "choose another place (--at auto), or leave out --strict",
        .chooseSmaller:
            "choose a smaller --size or --margin, or a place of your own: --at last:bottom-right",
        .chooseSmallerOrOtherPage:
            "choose a smaller --size or --margin, another page (--at 1:auto), or a place of your own: --at last:bottom-right",
        .consentToField:
            "look at it, and sign it all the same: --field {sh:0} --allow-hidden; or sign in a place of your own: --new-field --at last:bottom-right",
        .countPages: "count from 1, or from the end with -1 (also: last)",
        .enlargeOrUseRectangle:
            "use a larger --size, or say the place in the page's own units with --rect",
        .leaveOutPlaceOrAddField: "leave out --at, or add a field with --new-field",
        .markFewerPages: "mark fewer pages",
        .orderPages: "name the first page first",
        .remakeOrSignUnseen: "have the document made anew, or sign it without a place",
        .sayPlace: "say the place as --at {0}:bottom-right",
        .sayPlaceOfProtected:
            "a document that needs a password cannot be handed to it; else say the place as --at last:bottom-right",
        .sayWhichWords: "say which one: --at {sh:0}, or --at {sh:1}",
        .takeEarlierPage: "up to page {0} they agree; or have the document made anew",
        .useRectangleOrRemake:
            "say the place in the page's own units with --rect, or have the document made anew",
        .writeWords: "write them like --at text:Signature:",
        // Pictures and fonts of stamps.
        .giveAsInk: "strokes and SVG drawings go with --ink {sh:0}",
        .giveAsPicture: "a \(PictureFormats.alternatives) picture goes with --image {sh:0}",
        .giveOpenFont: "name a TrueType or OpenType font (.ttf, .otf, .ttc)",
        .givePicture: "give a \(PictureFormats.names.joined(separator: " or a ")) picture",
        .givePictureInKnownColours: "give a picture in red, green and blue, or in grey",
        .giveStrokes: "give a transparent PNG with --image, or strokes as JSON",
        .installFont: "install one: apt install {0}; or name one with --font",
        .installTextLibraries: "apt install libharfbuzz0b libharfbuzz-subset0 fonts-dejavu-core",
        .leaveOutCharacterOrNameFont:
            "leave the character out, or name a font that has it with --font",
        .makePicture: "make a \(PictureFormats.alternatives) picture of it first",
        .nameFont: "name another font with --font",
        .nameFontOrLetFind: "name another font, or leave out --font to let one be found",
        .nameFontOrNone: "name another font, or leave out --font",
        .writeStrokes: "strokes are {\"strokes\":[[[x,y,pressure],...],...]}",
        // Texts, dates and times in stamps.
        .chooseDateLetters:
            "there are {0}; letters for themselves stand in 'quotation marks'; or {date:short}, {date:long}",
        .chooseWord: "there are {0}; for the word in braces: {{{1}}",
        .enlargeOrShorten: "use a larger --size, a shorter --text, or --no-text",
        .installZonesOrSayOffset:
            "apt install tzdata; or say how far it is ahead of UTC: --time-zone +02:00",
        .leaveOutFormat: "leave out what follows the colon",
        .leaveOutText: "for a stamp without text: --no-text",
        .meantWord: "did you mean {{0}}?",
        .quoteWords: "for example: {date:d 'de' MMMM}",
        .sayOffset: "say how far it is ahead of UTC: --time-zone +02:00",
        .useLatinLetters: "say it in Latin letters with --text, or use --no-text",
        .writeDateFormat: "for example: {date:yyyy-MM-dd}",
        .writeZone: "for example Europe/Prague, +02:00, local or UTC",
        // Photos.
        .allowMoreOrGiveFewer: "allow more with --max-size, or give fewer photos",
        .convertHEIC:
            "make a JPEG of it first: heif-convert FILE FILE.jpg; on an iPhone choose Settings, Camera, Formats, Most Compatible",
        .givePhoto: "give a picture; a PDF is signed as it is, with signet sign",
        .leaveOutArchivalFormat: "leave out --pdfa, or use --gray",
        .leaveOutOrMakeJPEG:
            "leave those options out, or make a JPEG of it first: magick FILE FILE.jpg",
        .makeJPEG: "make a JPEG of it first, for example: magick FILE FILE.jpg",
        .makeOrdinaryJPEG: "make an ordinary JPEG of it first, for example: magick FILE FILE.jpg",
        .onlyPhotos: "only these can be taken",
        .photoTooLarge:
            "its {0} dpi, which many cameras write, would make a page of {1}: it stands on A4; --page photo keeps its size",
        .photoWithPlace: "GPS data says where it was taken; --strip leaves that out",
        .photoWithoutSize:
            "does not say how large it is: it stands on A4; --page photo takes a point a pixel",
        .scaleInstead: "give --scale or --quality instead of --max-size",
        .takeStillPicture: "take a picture from it first",
        .useSmallerMargin: "use a smaller --margin",
        // Detached signatures and CMS messages.
        .decryptFirst: "decrypt it first: openssl cms -decrypt -inform DER -in FILE -inkey KEY",
        .detach: "leave out --attached: a detached signature has no limit",
        .extendByItsMaker: "have it extended by the program that made it",
        .giveMessage: "give a .p7s or .p7m file: DER, PEM or base64",
        .leaveOutContent: "a PDF carries its signatures itself: leave out --content",
        .messageWithoutSignature:
            "an encrypted, compressed or bare digest message has no signature",
        .nameContent: "name what was signed with --content FILE",
        .renameDocument: "if it is a signed document, give it a name that ends in .pdf",
        .saveAttachment: "save its attachment smime.p7m or smime.p7s, and verify that",
        .seeFailedMessage:
            "see: signet verify {sh:0}; nothing is added to a signature that does not stand",
        .signAnew: "sign the file anew: signet sign",
        .verifyBeside: "its signature is beside it: signet verify {sh:0}",
        // Long-term validation.
        .addRoot: "add its root with --trust FILE",
        .addRootOfAuthority:
            "add its root with --trust FILE (--tsa-trust is for TLS, --tsa-anchor for level T)",
        .giveList: "if you have its revocation list: --crl FILE",
        .giveListOrSignLower:
            "if you have its revocation list: --crl FILE; else sign with --level T",
        .giveNewerList: "with a newer revocation list: --crl FILE",
        .giveNewerListOrSignLower:
            "with a newer revocation list: --crl FILE; else sign with --level T",
        .leaveOutOrGiveAnother:
            "leave it out, or give one that is about their certificates and still counts",
        .nameIssuer:
            "name the certificate of {0} with --chain FILE, or with --trust FILE if it is a root",
        .renewToKeep: "to keep it so: signet extend {sh:0} --tsa URL --renew",
        .seeFailedDocument:
            "see: signet verify {sh:0}; nothing is added to a document that does not stand",
        .seeUnwritten: "nothing was written; see: signet verify {sh:0}",
        .signFirst: "sign it first: signet sign --level LTA",
        .signLowerOrPublishing:
            "sign with --level T, or with certificates of an authority that publishes revocations; nothing was written",
        .tryLaterOrGive:
            "try again later, take what was kept of earlier answers with --offline, or give --crl FILE or --ocsp FILE",
        .tryLaterOrSignLower:
            "try again later, take what was kept of earlier answers with --offline, give --crl FILE or --ocsp FILE, or sign with --level T now and extend later",
        .useOtherAuthority: "use another time-stamping authority with --tsa URL",
        .waitForFresh: "extend it later, wait with --wait, or leave out --require-fresh",
        // Certificates, trust and revocation lists.
        .addOrMake: "add --cert FILE, or make one: signet cert create --help",
        .checkClock: "check the clock, and the time that was given, or wait",
        .giveAsReceived: "give it as it was received, in DER",
        .giveAuthority: "give the authority's certificate as PEM or DER",
        .giveFileOrFolder: "give a file, or a folder with such files",
        .giveOneCertificate: "--cert takes a file with one certificate here",
        .giveOneSigner: "--signer takes a file with one certificate",
        .giveRevocationList: "give a list as DER, or one or several as PEM",
        .nameOneWithIssuers: "name one of them: --cert FILE with that one and its issuers",
        .useForSigning: "use a certificate that was issued for signing",
        .useForTimestamps:
            "use one that was issued for it, or make one: signet cert create --profile tsa",
        .useValidCertificate: "sign with a certificate that is valid now",
        .writeCertificatePolicy: "give its identifier, like 0.4.0.194112.1.2",
        // Certificate requests and issuing.
        .acceptDifferences:
            "if you want it all the same, say --accept-differences; the request stays",
        .acceptOrGiveNames:
            "say --accept-names to certify them all, or --san with those that are true (--san none for none)",
        .acceptOrGiveSubject:
            "say --accept-names to certify it as it is, or --subject with what is true",
        .askForAnotherKeepingRequest: "ask the authority for another; the request stays",
        .askForFewerDays: "ask for fewer --days, or leave them out",
        .askForNewRequest: "ask for a new request",
        .chooseProfileOrIssuer: "choose another --profile or issuer",
        .giveAlternativeNames: "give the names with --san",
        .giveKeyOrIssuer: "give it with --key, or name an issuer",
        .issueWithAuthority: "issue with a certificate that has keyCertSign",
        .issueWithValid: "issue with a certificate that is valid then",
        .makeAuthority: "make one with: signet cert create --ca",
        .nameExtendedKeyUsage:
            "use documentSigning, emailProtection, clientAuth, codeSigning, timeStamping, OCSPSigning, serverAuth, or a dotted identifier",
        .nameKeyUsage: "use {0}",
        .renameSubject: "give the subject another name: --subject \"CN=...\"",
        .seeNameConstraints:
            "its name constraints or those above it forbid the names; see signet show {sh:0}",
        .writeAlternativeNames:
            "write them like email:a@b.cz,dns:b.cz,ip:192.0.2.1,uri:https://b.cz",
        .writeSubject: "write it like \"CN=Jan Novák,O=Firma,C=CZ\"",
        // The identity store.
        .changeUnfinished: "{0}: an interrupted change cannot be finished: {1}",
        .chooseIdentity: "name one with --identity: {0}",
        .chooseOtherNameOrRemove:
            "choose another name, or remove it: signet identity remove {sh:0}",
        .chooseUnmistakableName: "choose a name that nobody takes for another",
        .completeIdentity: "when it comes: signet identity complete CERT",
        .completeOrRemove: "complete it, or remove it: signet identity remove {sh:0}",
        .giveKeyOrImport: "give --key FILE, or keep an identity: signet identity import --help",
        .leaveOutKeyOrImport: "leave it out to have a key made, or import it with its certificate",
        .leaveOutToken: "leave the token out",
        .leftoversRemoved: "{0}: removed what an interrupted command left there",
        .listIdentities: "see what there is: signet identity list",
        .otherNames: "{0}: the certificate is also for {1}, which was not requested",
        .replaceIdentity: "replace it with --force",
        .requestFinished: "the request for '{0}' was interrupted: it is finished, and is in {1}",
        .requestPending: "the request for '{0}' was interrupted: it is pending, and is in {1}",
        .seePending: "see what is waited for: signet identity pending",
        .setDataHome: "set HOME or XDG_DATA_HOME to an absolute path",
        .shortenName: "use up to {0} letters, digits, dashes",
        .storeDamaged: "{0} is damaged (signet identity remove takes its last name): {1}",
        // Keys.
        .askWhichKey: "nothing was written; check which key is meant, or ask who runs it",
        .checkPassphrase: "check it; of a file with it the first line counts, nothing else",
        .chooseAlgorithm: "choose another --digest or --padding",
        .chooseKeyType: "choose another --type",
        .chooseKnownType:
            "use rsa:3072 (or 2048 to 16384), ec:P-256, ec:P-384, ec:P-521, ed25519, ed448, dsa:2048 or dsa:3072",
        .encodeAsText: "use --encoding base64 or hex",
        .giveDecryptingKey: "give a file, a key on a token (pkcs11:...) or an identity",
        .giveIssuedCertificate: "give the certificate that was issued for this key with --cert",
        .giveItsCertificate: "give its certificate with --cert",
        .giveKeyAndCertificate:
            "give the private key's file with --key, the certificate with --cert",
        .givePublicKey:
            "for a certificate use --cert; from a private key make one with: openssl pkey -in KEY -pubout",
        .leaveUnencrypted: "to leave the key unencrypted, say --no-passphrase",
        .listKeys: "see what there is: signet key list",
        .listKeysAfterLogin: "see what there is: signet key list --login",
        .makeOnToken:
            "a key on a token is made by: signet key generate -o pkcs11:..., and then used with --key; a file of that name is ./{0}",
        .nameDigestOrSignData:
            "name the hash algorithm with --digest, or sign the data with --input data",
        .savePlainText: "save it as plain text: ASCII or UTF-8, in the first line",
        .seeWhatItHolds: "see what it holds: signet show {sh:0}",
        .setVariableOrUseSecret: "set it to the secret, or use --{0}-file FILE",
        .signAsMessageOrUseOtherKey: "sign its hash as a message, or use an RSA or EC key",
        .signDataOrUseOtherKey:
            "give the message itself with --input data, or use an RSA or EC key",
        .signHashAsHash:
            "tell the signer that it is a hash, and of which algorithm: openssl pkeyutl -sign -pkeyopt digest:{0}, or signet hash sign --input hash --digest {0}; for RSA-PSS name the padding, too",
        .useIssuedCertificate: "give the certificate that was issued for this key",
        .writeFileAsPath: "for the file write ./{0}",
        .wrongPassphrase: "the passphrase is wrong, try again",
        .wrongPassword: "the password is wrong, try again",
        // Keys on tokens.
        .checkPIN: "check the PIN",
        .chooseOtherObject: "choose another object= or id= in the URI",
        .choosePIN: "use --passphrase-file FILE or --passphrase-env NAME, and choose a new PIN",
        .closeOtherProgram: "close the other program",
        .confirmOnReader: "confirm on the reader of the token '{0}' that its key is used",
        .enterPINOnReader: "enter the PIN of the token '{0}' on its reader",
        .giveConfirmingPIN: "give it with --passphrase-file FILE, in the second line",
        .givePINByHand: "run the command on a terminal, and type the PIN",
        .giveTokenMessage: "give it the message: --input data",
        .givenPINNotUsed: "the PIN that the options name is not used",
        .insertCard: "insert the card; is its reader's service (pcscd) running?",
        .insertToken: "insert it and run the command again",
        .installModule: "install it (cards: opensc, without a card: softhsm2), or name another one",
        .installSomeModule:
            "install one (cards: opensc-pkcs11; without a card: softhsm2), or name it: pkcs11:?module-path=/path/to/module.so",
        .installSomeModuleAsRoot:
            "install one (cards: opensc-pkcs11; without a card: softhsm2), or name it: pkcs11:?module-path=/path/to/module.so; modules configured for a user are not seen by root",
        .leaveOutObjectType: "write type=private, or leave it out",
        .nameKey: "give one of these URIs",
        .nameKeyOrCertificate: "give one of these URIs, or the certificate with --cert FILE",
        .nameToken: "name one with token=, or with serial= where several are called the same",
        .notTriedAgain: "nothing was tried a second time",
        .runModuleApart: "run the 32-bit module in a process of its own: p11-kit server",
        .setPIN: "set one with the tool of who issued it",
        .startService: "is its service running (pcscd for cards)?",
        .unblockPIN: "unblock it with its PUK or with the tool of who issued it",
        .unknownQueries: "the PKCS#11 URI's {0} means nothing here",
        .writeTokenURI:
            "write it like pkcs11:token=NAME;object=NAME; see what there is: signet key list",
        // Keys at signing services.
        .checkAddress: "is the address that of the API? It ends in /csc/v1 or /csc/v2",
        .checkClientLogin: "check --service-client-id and --service-client-secret-file",
        .checkCredential: "check the address and the credential",
        .checkNetwork: "check the address and the network",
        .checkServiceLogin: "check --service-user and --service-password-file",
        .enableAtService: "ask the service to enable it",
        .giveAddressItself: "give the address itself, if that place is meant",
        .giveOneTimePasswords: "give as many lines as codes are asked for with --otp-file FILE",
        .leaveOutCredential: "see which there are: leave out ?credential=",
        .logInToService: "log in: --service-user, --service-client-id or --service-token-file",
        .nameServiceAnchor: "name the anchor of its certificate with --service-trust FILE",
        .nothingMoreIsSent: "nothing more is sent in this run; too many wrong tries lock the key",
        .oneTimePasswords: "{0} signatures, {1} for each one-time password: {2} will be asked for",
        .renewAccessToken: "get a new access token for --service-token-file",
        .useServiceHTTPS: "use an https address, or say --service-allow-insecure-auth",
        .waitLonger: "give it more time with --key-timeout SECONDS",
        .writeServiceURI: "write it like csc:https://host/csc/v2?credential=ID",
        // Keys behind programs.
        .checkProgram: "check its permissions and its first line",
        .checkProgramPath: "check the path and its permissions",
        .installProgram: "put it into a folder of the PATH, and make it executable",
        .moreWordsOfProgram: "{0}: and {1} lines more",
        .protectProgram: "take that away from them: chmod go-w {0}",
        .wordsOfProgram: "{0}: {1}",
        .writeProgramURI: "write it like exec:NAME?key=KEY, for a program {0}NAME on the PATH",
        // Time-stamping authorities.
        .addAuthority: "check the address and the network, or add another --tsa URL",
        .checkAuthorityAddress:
            "check the address: it must be the authority's own, not its web page",
        .checkAuthorityAddressLater: "check the address, or try again later",
        .chooseOtherPort: "choose another port; :0 takes a free one",
        .digestFirst: "see it with: signet hash digest FILE",
        .distrustAuthority: "do not rely on this authority; use another --tsa URL",
        .giveAuthorityLogin:
            "give --tsa-user NAME with --tsa-password-file FILE or --tsa-password-env NAME",
        .giveCertificateAndKey:
            "--tsa-client-cert FILE takes the certificate, --tsa-client-key FILE its key",
        .giveClientCertificate:
            "give one that it knows with --tsa-client-cert FILE --tsa-client-key FILE",
        .giveHash: "give it as --hash {0}:HEX",
        .giveReply: "give a .tsr or .tst file: DER, PEM or base64",
        .nameAuthorityAnchor:
            "name the authority's own anchor with --tsa-anchor FILE, or use another --tsa URL",
        .nameAuthorityIssuer:
            "name the certificate of {0} with --chain FILE, or with --tsa-anchor FILE",
        .nameAuthorityServerAnchor:
            "check the address, or name the anchor of its certificate with --tsa-trust FILE",
        .nameDigest: "name the hash algorithm with --digest",
        .seeAlgorithm: "see its algorithm with: signet show {sh:0}",
        .setClock: "set the clock; if it is right, use another --tsa URL",
        .stampsGivenAgain: "time stamps are given again",
        .stampsRefused: "time stamps are refused: {0}; it goes on by itself when the token is back",
        .stampsRefusedUntilRestart:
            "time stamps are refused: {0}; start the authority anew when that is mended",
        .untrustedTimestamp: "{0}: name its root with --tsa-anchor FILE",
        .useAuthorityHTTPS: "use an https address, or say --tsa-allow-insecure-auth",
        .waitLongerForAuthority:
            "try again, give it more time with --tsa-timeout SECONDS, or add another --tsa URL",
        .writeAddress: "write it like https://tsa.example/path, a login apart with --tsa-user",
        .writeEnvelope: "the envelope is XML with {request} where the request in base64 goes",
        .writeListeningAddress: "write it like 127.0.0.1:8080, or :0 for any port",
        .writeTimestampPolicy: "write the policy like 1.3.6.1.4.1.99999.1",
        // Trusted lists.
        .chooseTerritory: "it knows {0}",
        .fetchLists: "fetch them with: signet trust update",
        .giveListFolder: "give a folder with the list of lists and the national lists as XML",
        .installParser: "install it with: apt install libexpat1",
        .removeAndFetch: "remove {0} and fetch the lists again",
        .updateOrGiveAnchor:
            "a newer version may know it; or save the certificates that the Official Journal prints, and give them with: --trust-anchor FILE",
        .vouchForList: "vouch for it with: --trust-list-cert FILE",
        // Settings.
        .chooseProfile: "there are: {0}",
        .namePassphraseFile: "name a file with passphrase-file, or leave it out to be asked",
        .protectSettings: "make it yours: chmod o-w, or chown",
        .settingsUsed: "from the settings in {0}: {1}",
        .writeProfile: "write it there: [profile.{0}]",
        .writeSettingsAndName: "write them into a file, and name it with --config",
        .writeSettingsInto: "write them into {0}",
    ]
}
