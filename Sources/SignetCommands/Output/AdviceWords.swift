import SignetKit

/// What may help, in words.
extension CommandLineVocabulary {
    func words(for advice: Advice) -> Wording {
        switch advice {
        case .key(let advice): words(for: advice)
        case .token(let advice): words(for: advice)
        case .service(let advice): words(for: advice)
        case .program(let advice): words(for: advice)
        case .authority(let advice): words(for: advice)
        case .photo(let advice): words(for: advice)
        }
    }

    private func words(for advice: Advice.Key) -> Wording {
        switch advice {
        case .askWhichKey: "nothing was written; check which key is meant, or ask who runs it"
        case .chooseAlgorithm: "choose another \(.digest) or \(.padding)"
        case .chooseKeyType: "choose another \(.keyType)"
        case .give(let setting): "give it with \(giving: setting)"
        case .giveIssuedCertificate:
            "give the certificate that was issued for this key with \(.certificate)"
        case .giveItsCertificate: "give its certificate with \(.certificate)"
        case .listKeys(let afterLogin):
            "see what there is: \(task: .listKeys(afterLogin: afterLogin))"
        case .nameOne: "give one of them"
        case .nothingWasWritten: "nothing was written"
        case .tryLater: "try again later"
        case .use(let setting): "use \(giving: setting)"
        }
    }

    private func words(for advice: Advice.Token) -> Wording {
        switch advice {
        case .checkPIN: "check the PIN"
        case .choosePIN: "use \(giving: .passphrase), and choose a new PIN"
        case .closeOtherProgram: "close the other program"
        case .giveConfirmingPIN: "give it with \(.passphrase) FILE, in the second line"
        case .giveMessage: "give it the message: \(.input, "data")"
        case .givePINByHand: "run the command on a terminal, and type the PIN"
        case .insertCard: "insert the card; is its reader's service (pcscd) running?"
        case .insertToken: "insert it and run the command again"
        case .installModule:
            "install it (cards: opensc, without a card: softhsm2), or name another one"
        case .installSomeModule(let isSuperuser):
            Wording(
                "install one (cards: opensc-pkcs11; without a card: softhsm2), or name it: "
                    + "pkcs11:?module-path=/path/to/module.so"
                    + (isSuperuser ? "; modules configured for a user are not seen by root" : ""))
        case .leaveOutObjectType: "write type=private, or leave it out"
        case .nameKeyOrCertificate:
            "give one of these URIs, or the certificate with \(giving: .certificate)"
        case .nameToken: "name one with token="
        case .notTriedAgain: "nothing was tried a second time"
        case .runModuleApart: "run the 32-bit module in a process of its own: p11-kit server"
        case .setPIN: "set one with the tool of who issued it"
        case .startService: "is its service running (pcscd for cards)?"
        case .unblockPIN: "unblock it with its PUK or with the tool of who issued it"
        case .writeTokenURI:
            "write it like pkcs11:token=NAME;object=NAME; see what there is: \(task: .listKeys(afterLogin: false))"
        }
    }

    private func words(for advice: Advice.Service) -> Wording {
        switch advice {
        case .checkAddress: "is the address that of the API? It ends in /csc/v1 or /csc/v2"
        case .checkCredential: "check the address and the credential"
        case .checkClientLogin: "check \(.serviceClient) and \(.serviceClientSecret)"
        case .checkNetwork: "check the address and the network"
        case .checkServiceLogin: "check \(.serviceLogin) and \(.servicePassword)"
        case .enableAtService: "ask the service to enable it"
        case .giveAddressItself: "give the address itself, if that place is meant"
        case .giveOneTimePasswords:
            "give as many lines as codes are asked for with \(.oneTimePassword) FILE"
        case .leaveOutCredential: "see which there are: leave out ?credential="
        case .logIn: "log in: \(.serviceLogin), \(.serviceClient) or \(.serviceToken)"
        case .nameServiceAnchor: "name the anchor of its certificate with \(giving: .serviceTrust)"
        case .nothingMoreIsSent:
            "nothing more is sent in this run; too many wrong tries lock the key"
        case .renewAccessToken: "get a new access token for \(.serviceToken)"
        case .waitLonger: "give it more time with \(giving: .keyTimeout)"
        case .useHTTPS: "use an https address, or say \(.serviceUnencryptedLogin)"
        case .writeServiceURI: "write it like csc:https://host/csc/v2?credential=ID"
        }
    }

    private func words(for advice: Advice.Program) -> Wording {
        switch advice {
        case .checkProgram: "check its permissions and its first line"
        case .checkProgramPath: "check the path and its permissions"
        case .installProgram: "put it into a folder of the PATH, and make it executable"
        case .protect(let place): "take that away from them: chmod go-w \(place)"
        case .writeProgramURI(let prefix):
            "write it like exec:NAME?key=KEY, for a program \(prefix)NAME on the PATH"
        }
    }

    private func words(for advice: Advice.Authority) -> Wording {
        switch advice {
        case .addAuthority: "check the address and the network, or add another \(giving: .tsa)"
        case .checkAuthorityAddress:
            "check the address: it must be the authority's own, not its web page"
        case .checkAuthorityAddressLater: "check the address, or try again later"
        case .distrustAuthority: "do not rely on this authority; use another \(giving: .tsa)"
        case .giveAuthorityLogin: "give \(giving: .tsaLogin) with \(giving: .tsaPassword)"
        case .giveClientCertificate:
            "give one that it knows with \(giving: .tsaClientCertificate) \(giving: .tsaClientKey)"
        case .nameAuthorityAnchor:
            "name the authority's own anchor with \(giving: .tsaAnchor), or use another \(giving: .tsa)"
        case .nameAuthorityServerAnchor:
            "check the address, or name the anchor of its certificate with \(giving: .tsaTrust)"
        case .setClock: "set the clock; if it is right, use another \(giving: .tsa)"
        case .waitLongerForAuthority:
            "try again, give it more time with \(giving: .tsaTimeout), or add another \(giving: .tsa)"
        }
    }

    private func words(for advice: Advice.Photo) -> Wording {
        switch advice {
        case .convertHEIC:
            "make a JPEG of it first: heif-convert FILE FILE.jpg; on an iPhone choose Settings, "
                + "Camera, Formats, Most Compatible"
        case .givePicture:
            "give a picture; a PDF is signed as it is, with \(task: .sign(level: nil))"
        case .leaveOutArchivalFormat: "leave out \(.pdfA), or use \(.gray)"
        case .makeJPEG: "make a JPEG of it first, for example: magick FILE FILE.jpg"
        case .makeOrdinaryJPEG:
            "make an ordinary JPEG of it first, for example: magick FILE FILE.jpg"
        case .onlyPhotos: "only these can be taken"
        case .takeStillPicture: "take a picture from it first"
        }
    }
}
