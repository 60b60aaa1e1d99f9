/// What may help after a failure, as a type with its facts: the words are those of the program that
/// shows it.
public enum Advice: Sendable, Hashable {
    case key(Key)
    case token(Token)
    case service(Service)
    case program(Program)
    case authority(Authority)
    case photo(Photo)

    /// About a key, wherever it is.
    public enum Key: Sendable, Hashable {
        /// What came fits another key than was meant.
        case askWhichKey
        case chooseAlgorithm
        case chooseKeyType
        /// Give what a setting names.
        case give(Wording.Setting)
        case giveIssuedCertificate
        case giveItsCertificate
        case listKeys(afterLogin: Bool)
        case nameOne
        case nothingWasWritten
        case tryLater
        case use(Wording.Setting)
    }

    /// About keys on tokens.
    public enum Token: Sendable, Hashable {
        case checkPIN
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
        case checkCredential
        case checkClientLogin
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
        case waitLonger
        case useHTTPS
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
        case distrustAuthority
        case giveAuthorityLogin
        case giveClientCertificate
        case nameAuthorityAnchor
        case nameAuthorityServerAnchor
        case setClock
        case waitLongerForAuthority
    }

    /// About files that are to be photos.
    public enum Photo: Sendable, Hashable {
        case convertHEIC
        case givePicture
        case leaveOutArchivalFormat
        case makeJPEG
        case makeOrdinaryJPEG
        case onlyPhotos
        case takeStillPicture
    }
}
