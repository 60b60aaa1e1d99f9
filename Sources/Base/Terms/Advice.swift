/// What may help after a failure, as a type with its facts: the words are those of the program that
/// shows it.
public enum Advice: Sendable, Hashable {
    case general(General)
    case document(Document)
    case outcome(Outcome)
    case output(Output)
    case place(Place)
    case stamp(Stamp)
    case text(Text)
    case photo(Photo)
    case message(Message)
    case evidence(Evidence)
    case certificate(Certificate)
    case request(Request)
    case identity(Identity)
    case key(Key)
    case token(Token)
    case service(Service)
    case program(Program)
    case authority(Authority)
    case list(List)
    case settings(Settings)

    /// Whatever it is about.
    public enum General: Sendable, Hashable {
        case add(Wording.Setting)
        /// Give what a setting names.
        case give(Wording.Setting)
        case install
        case installPackage(String)
        case leaveItOut
        case leaveOut(Wording.Setting)
        case meant(String)
        case name(Wording.Setting)
        case nameOne
        case nothingWasWritten
        case tryLater
        case use(Wording.Setting)
    }

    /// About PDF documents and their fields.
    public enum Document: Sendable, Hashable {
        case addAuthorityOrPrepareAnew
        case agree(Wording)
        case allowDamaged
        case allowFailed(file: String)
        case askAuthorForPermission
        case askForOtherEncryption
        case askForWhole
        case certify(DocMDPPermission)
        case checkOrAskForWhole
        case checkPassword
        case chooseOtherFieldName(file: String)
        case coverNoField
        case doNotCertify
        case doNotMark
        case getAgain
        case getPreparedFile
        case giveAuthorityOrOtherField(file: String)
        case giveOwnerKey
        case giveOwnerPassword
        case giveReason(file: String)
        case identify(file: String)
        case leaveOutLockLevel
        case lock(String)
        case makeWithoutOrUnstrictly
        case meantField(String)
        case nameDecryptionKey
        case nameDecryptionKeyAndCertificate
        case nameEachField
        case nameFieldOrAdd
        case numberSignature(count: Int)
        case prepareAnew
        case prepareWithRoom
        case seeFields(file: String)
        case seeFieldsOrAdd(file: String)
        case seeWhatItIs(file: String)
        case signHashWritten
        case signInOtherField
        case signUnseenOrInField
        case useOrAddField(file: String)
        case verifyAgain
    }

    /// About what was made: what it leaves open, and what comes next.
    public enum Outcome: Sendable, Hashable {
        case extendFurther(file: String, renewing: Bool, givesList: Bool)
        case markedNothing
        case verifyTrusting(file: String)
    }

    /// About files and folders.
    public enum Output: Sendable, Hashable {
        case checkPath
        case checkPermissions
        case forceOrRename
        case lookOrReplace
        case freeSpace
        case giveFolder
        case givePlaces
        case includeOthers
        case makeFolder(named: String)
        case makeFolderFirst
        case nameAnotherOrRemove
        case nameFileOrRecurse
        case nameThemOrWriteElsewhere
        case replaceInput
        case runAgain
        case runAgainLater
        case setHome
        case writeElsewhere
        case writeElsewhereOrPermit
        case writeElsewhereOrSkip
        case writeIntoFile
    }

    /// About where stamps and marks go.
    public enum Place: Sendable, Hashable {
        case addPlace
        case checkWords
        case chooseNextFreePlace
        case chooseOtherPlaceOrSize
        case chooseOtherPlaceOrUnstrictly
        case chooseSmaller
        case chooseSmallerOrOtherPage
        case consentToField(String)
        case countPages
        case enlargeOrUseRectangle
        case leaveOutPlaceOrAddField
        case markFewerPages
        case orderPages
        case remakeOrSignUnseen
        case sayPlace(page: String)
        case sayPlaceOfProtected
        case sayWhichWords(side: String, String)
        case takeEarlierPage(last: Int)
        case useRectangleOrRemake
        case writeWords
    }

    /// About pictures and fonts of stamps.
    public enum Stamp: Sendable, Hashable {
        case giveAsInk(file: String)
        case giveAsPicture(file: String)
        case giveOpenFont
        case givePicture
        case givePictureInKnownColours
        case giveStrokes
        case installFont(package: String)
        case installTextLibraries
        case leaveOutCharacterOrNameFont
        case makePicture
        case nameFont
        case nameFontOrLetFind
        case nameFontOrNone
        case writeStrokes
    }

    /// About words, dates and times in stamps.
    public enum Text: Sendable, Hashable {
        case chooseDateLetters(String)
        case chooseWord(known: String, String)
        case enlargeOrShorten
        case installZonesOrSayOffset
        case leaveOutFormat
        case leaveOutText
        case meantWord(String)
        case quoteWords
        case sayOffset
        case useLatinLetters
        case writeDateFormat
        case writeZone
    }

    /// About files that are to be photos.
    public enum Photo: Sendable, Hashable {
        case allowMoreOrGiveFewer
        case convertHEIC
        case givePicture
        case keepPhotoSize
        case leaveOutArchivalFormat
        case leaveOutOrMakeJPEG
        case makeJPEG
        case makeOrdinaryJPEG
        case onlyPhotos
        case pixelAsPoint
        case scaleInstead
        case stripPlace
        case takeStillPicture
        case useSmallerMargin
    }

    /// About signatures beside files.
    public enum Message: Sendable, Hashable {
        case decryptFirst
        case detach
        case extendByItsMaker
        case giveMessage
        case isOtherKind
        case leaveOutContent
        case nameContent
        case renameDocument
        case saveAttachment
        case seeWhatFails(file: String)
        case signAnew
        case verifyBeside(file: String)
    }

    /// About evidence for long after.
    public enum Evidence: Sendable, Hashable {
        case addRoot
        case addRootOfAuthority
        case giveList(isNewer: Bool, orSignLower: Bool)
        case leaveOutOrGiveAnother
        case nameIssuer(String)
        case renewToKeep(file: String)
        case seeUnwritten(file: String)
        case seeWhatFails(file: String)
        case signFirst
        case signLowerOrPublishing
        case tryLaterOrGive
        case tryLaterOrSignLower
        case useOtherAuthority
        case waitForFresh
    }

    /// About certificates, trust and lists of revoked ones.
    public enum Certificate: Sendable, Hashable {
        case addOrMake
        case checkClock
        case giveAsReceived
        case giveAuthority
        case giveFileOrFolder
        case giveOneCertificate
        case giveOneSigner
        case giveRevocationList
        case nameOneWithIssuers
        case useForSigning
        case useForTimestamps
        case useValid
        case writePolicy
    }

    /// About requests, and issuing certificates.
    public enum Request: Sendable, Hashable {
        case acceptDifferences
        case acceptOrGiveNames
        case acceptOrGiveSubject
        case askForAnotherKeepingRequest
        case askForFewerDays
        case askForNewRequest
        case chooseProfileOrIssuer
        case giveAlternativeNames
        case giveKeyOrIssuer
        case issueWithAuthority
        case issueWithValid
        case makeAuthority
        case nameExtendedKeyUsage
        case nameKeyUsage(known: String)
        case renameSubject
        case seeNameConstraints(file: String)
        case writeAlternativeNames
        case writeSubject
    }

    /// About the identity store.
    public enum Identity: Sendable, Hashable {
        case choose(String)
        case chooseOtherNameOrRemove(String)
        case chooseUnmistakableName
        case complete
        case completeOrRemove(String)
        case giveKeyOrImport
        case leaveOutKeyOrImport
        case leaveOutToken
        case list
        case replace
        case seePending
        case setHome
        case shortenName(limit: Int)
    }

    /// About a key, wherever it is.
    public enum Key: Sendable, Hashable {
        /// What came fits another key than was meant.
        case askWhichKey
        case checkPassphrase
        case chooseAlgorithm
        case chooseKeyType
        case chooseKnownType
        case encodeAsText
        case giveDecryptingKey
        case giveIssuedCertificate
        case giveItsCertificate
        case giveKeyAndCertificate
        case givePublicKey
        case leaveUnencrypted
        case listKeys(afterLogin: Bool)
        /// By the name of the hash algorithm.
        case signHashAsHash(String)
        case makeOnToken(file: String)
        case nameDigestOrSignData
        case savePlainText
        case seeWhatItHolds(file: String)
        case setVariableOrUse(Wording.Setting)
        case signAsMessageOrUseOtherKey
        case signDataOrUseOtherKey
        case useIssuedCertificate
        case writeFileAsPath(String)
    }

    /// About keys on tokens.
    public enum Token: Sendable, Hashable {
        case checkPIN
        case chooseOtherObject
        /// It stood where others may have read it.
        case choosePIN
        case closeOtherProgram
        case giveConfirmingPIN
        case giveMessage
        case givePINByHand
        case insertCard
        case insertToken
        case installModule
        case installSomeModule(isSuperuser: Bool)
        case leaveOutObjectType
        case nameKey
        case nameKeyOrCertificate
        case nameToken
        case notTriedAgain
        /// Its word size is another.
        case runModuleApart
        case setPIN
        case startService
        case unblockPIN
        case writeTokenURI
    }

    /// About keys at services.
    public enum Service: Sendable, Hashable {
        case checkAddress
        case checkClientLogin
        case checkCredential
        case checkNetwork
        case checkServiceLogin
        case enableAtService
        case giveAddressItself
        /// As many as are asked for.
        case giveOneTimePasswords
        case leaveOutCredential
        case logIn
        case nameServiceAnchor
        case nothingMoreIsSent
        case renewAccessToken
        case useHTTPS
        case waitLonger
        case writeServiceURI
    }

    /// About keys behind programs.
    public enum Program: Sendable, Hashable {
        case checkProgram
        case checkProgramPath
        case installProgram
        /// Others may change what stands there.
        case protect(place: String)
        case writeProgramURI(prefix: String)
    }

    /// About time-stamping authorities.
    public enum Authority: Sendable, Hashable {
        case addAuthority
        case checkAuthorityAddress
        case checkAuthorityAddressLater
        case chooseOtherPort
        case digestFirst
        case distrustAuthority
        case giveAuthorityLogin
        case giveCertificateAndKey
        case giveClientCertificate
        case giveHash(algorithm: String)
        case giveReply
        case nameAuthorityAnchor
        /// The certificate between an authority's and an anchor; with its name.
        case nameAuthorityIssuer(String)
        case nameAuthorityServerAnchor
        case nameDigest
        case nameRoot
        case seeAlgorithm(file: String)
        case setClock
        case useHTTPS
        case waitLongerForAuthority
        case writeAddress
        case writeEnvelope
        case writeListeningAddress
        case writePolicy
    }

    /// About trusted lists.
    public enum List: Sendable, Hashable {
        case chooseTerritory(String)
        case fetch
        case giveFolder
        case installParser
        case removeAndFetch(folder: String)
        case updateOrGiveAnchor
        case vouch
    }

    /// About the file of settings.
    public enum Settings: Sendable, Hashable {
        case chooseProfile(String)
        case namePassphraseFile
        case protect
        case writeInto(file: String)
        case writeIntoAndName
        case writeProfile(String)
    }
}
