import SignetKit

extension CommandLineVocabulary {
    func words(for advice: Advice.Certificate) -> Wording {
        switch advice {
        case .addOrMake: "add \(giving: .certificate), or make one: \(task: .createCertificate)"
        case .checkClock: "check the clock, and the time that was given, or wait"
        case .giveAsReceived: "give it as it was received, in DER"
        case .giveAuthority: "give the authority's certificate as PEM or DER"
        case .giveFileOrFolder: "give a file, or a folder with such files"
        case .giveOneCertificate: "\(.certificate) takes a file with one certificate here"
        case .giveOneSigner: "\(.signer) takes a file with one certificate"
        case .giveRevocationList: "give a list as DER, or one or several as PEM"
        case .nameOneWithIssuers:
            "name one of them: \(giving: .certificate) with that one and its issuers"
        case .useForSigning: "use a certificate that was issued for signing"
        case .useForTimestamps:
            "use one that was issued for it, or make one: \(task: .createTimestampCertificate)"
        case .useValid: "sign with a certificate that is valid now"
        case .writePolicy: "give its identifier, like 0.4.0.194112.1.2"
        }
    }

    func words(for advice: Advice.Request) -> Wording {
        switch advice {
        case .acceptDifferences:
            "if you want it all the same, say \(.acceptDifferences); the request stays"
        case .acceptOrGiveNames:
            "say \(.acceptNames) to certify them all, or \(.alternativeNames) with those that are true (\(.alternativeNames, "none") for none)"
        case .acceptOrGiveSubject:
            "say \(.acceptNames) to certify it as it is, or \(.subject) with what is true"
        case .askForAnotherKeepingRequest: "ask the authority for another; the request stays"
        case .askForFewerDays: "ask for fewer \(.days), or leave them out"
        case .askForNewRequest: "ask for a new request"
        case .chooseProfileOrIssuer: "choose another \(.profile) or issuer"
        case .giveAlternativeNames: "give the names with \(.alternativeNames)"
        case .giveKeyOrIssuer: "give it with \(.key), or name an issuer"
        case .issueWithAuthority: "issue with a certificate that has keyCertSign"
        case .issueWithValid: "issue with a certificate that is valid then"
        case .makeAuthority: "make one with: \(task: .createAuthority)"
        case .nameExtendedKeyUsage:
            "use documentSigning, emailProtection, clientAuth, codeSigning, timeStamping, OCSPSigning, serverAuth, or a dotted identifier"
        case .nameKeyUsage(let known): "use \(known)"
        case .renameSubject: "give the subject another name: \(giving: .subject)"
        case .seeNameConstraints(let file):
            "its name constraints or those above it forbid the names; see \(task: .show(file: file))"
        case .writeAlternativeNames:
            "write them like email:a@b.cz,dns:b.cz,ip:192.0.2.1,uri:https://b.cz"
        case .writeSubject: "write it like \"CN=Jan Novák,O=Firma,C=CZ\""
        }
    }

    func words(for advice: Advice.Key) -> Wording {
        switch advice {
        case .askWhichKey: "nothing was written; check which key is meant, or ask who runs it"
        case .checkPassphrase: "check it; of a file with it the first line counts, nothing else"
        case .chooseAlgorithm: "choose another \(.digest) or \(.padding)"
        case .chooseKeyType: "choose another \(.keyType)"
        case .chooseKnownType:
            "use rsa:3072 (or 2048 to 16384), ec:P-256, ec:P-384, ec:P-521, ed25519, ed448, dsa:2048 or dsa:3072"
        case .encodeAsText: "use \(.encoding, "base64") or hex"
        case .giveDecryptingKey: "give a file, a key on a token (pkcs11:...) or an identity"
        case .giveIssuedCertificate:
            "give the certificate that was issued for this key with \(.certificate)"
        case .giveItsCertificate: "give its certificate with \(.certificate)"
        case .giveKeyAndCertificate:
            "give the private key's file with \(.key), the certificate with \(.certificate)"
        case .givePublicKey:
            "for a certificate use \(.certificate); from a private key make one with: openssl pkey -in KEY -pubout"
        case .leaveUnencrypted: "to leave the key unencrypted, say \(.noPassphrase)"
        case .signHashAsHash(let digest):
            "tell the signer that it is a hash, and of which algorithm: openssl pkeyutl -sign -pkeyopt digest:\(digest), or signet hash sign --input hash --digest \(digest); for RSA-PSS name the padding, too"
        case .listKeys(let afterLogin):
            "see what there is: \(task: .listKeys(afterLogin: afterLogin))"
        case .makeOnToken(let file):
            "a key on a token is made by: \(task: .generateTokenKey), and then used with \(.key); a file of that name is ./\(file)"
        case .nameDigestOrSignData:
            "name the hash algorithm with \(.digest), or sign the data with \(.input, "data")"
        case .savePlainText: "save it as plain text: ASCII or UTF-8, in the first line"
        case .seeWhatItHolds(let file): "see what it holds: \(task: .show(file: file))"
        case .setVariableOrUse(let option): "set it to the secret, or use \(option) FILE"
        case .signAsMessageOrUseOtherKey: "sign its hash as a message, or use an RSA or EC key"
        case .signDataOrUseOtherKey:
            "give the message itself with \(.input, "data"), or use an RSA or EC key"
        case .useIssuedCertificate: "give the certificate that was issued for this key"
        case .writeFileAsPath(let file): "for the file write ./\(file)"
        }
    }

    func words(for advice: Advice.Token) -> Wording {
        switch advice {
        case .checkPIN: "check the PIN"
        case .chooseOtherObject: "choose another object= or id= in the URI"
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
        case .nameKey: "give one of these URIs"
        case .nameKeyOrCertificate:
            "give one of these URIs, or the certificate with \(giving: .certificate)"
        case .nameToken: "name one with token=, or with serial= where several are called the same"
        case .notTriedAgain: "nothing was tried a second time"
        case .runModuleApart: "run the 32-bit module in a process of its own: p11-kit server"
        case .setPIN: "set one with the tool of who issued it"
        case .startService: "is its service running (pcscd for cards)?"
        case .unblockPIN: "unblock it with its PUK or with the tool of who issued it"
        case .writeTokenURI:
            "write it like pkcs11:token=NAME;object=NAME; see what there is: \(task: .listKeys(afterLogin: false))"
        }
    }

    func words(for advice: Advice.Service) -> Wording {
        switch advice {
        case .checkAddress: "is the address that of the API? It ends in /csc/v1 or /csc/v2"
        case .checkClientLogin: "check \(.serviceClient) and \(.serviceClientSecret)"
        case .checkCredential: "check the address and the credential"
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
        case .useHTTPS: "use an https address, or say \(.serviceUnencryptedLogin)"
        case .waitLonger: "give it more time with \(giving: .keyTimeout)"
        case .writeServiceURI: "write it like csc:https://host/csc/v2?credential=ID"
        }
    }

    func words(for advice: Advice.Program) -> Wording {
        switch advice {
        case .checkProgram: "check its permissions and its first line"
        case .checkProgramPath: "check the path and its permissions"
        case .installProgram: "put it into a folder of the PATH, and make it executable"
        case .protect(let place): "take that away from them: chmod go-w \(place)"
        case .writeProgramURI(let prefix):
            "write it like exec:NAME?key=KEY, for a program \(prefix)NAME on the PATH"
        }
    }

    func words(for advice: Advice.Authority) -> Wording {
        switch advice {
        case .addAuthority: "check the address and the network, or add another \(giving: .tsa)"
        case .checkAuthorityAddress:
            "check the address: it must be the authority's own, not its web page"
        case .checkAuthorityAddressLater: "check the address, or try again later"
        case .chooseOtherPort: "choose another port; :0 takes a free one"
        case .digestFirst: "see it with: \(task: .digestFile)"
        case .distrustAuthority: "do not rely on this authority; use another \(giving: .tsa)"
        case .giveAuthorityLogin: "give \(giving: .tsaLogin) with \(giving: .tsaPassword)"
        case .giveCertificateAndKey:
            "\(giving: .tsaClientCertificate) takes the certificate, \(giving: .tsaClientKey) its key"
        case .giveClientCertificate:
            "give one that it knows with \(giving: .tsaClientCertificate) \(giving: .tsaClientKey)"
        case .giveHash(let algorithm): "give it as \(.hash) \(algorithm):HEX"
        case .giveReply: "give a .tsr or .tst file: DER, PEM or base64"
        case .nameAuthorityAnchor:
            "name the authority's own anchor with \(giving: .tsaAnchor), or use another \(giving: .tsa)"
        case .nameAuthorityIssuer(let name):
            "name the certificate of \(name) with \(giving: .chain), or with \(giving: .tsaAnchor)"
        case .nameAuthorityServerAnchor:
            "check the address, or name the anchor of its certificate with \(giving: .tsaTrust)"
        case .nameDigest: "name the hash algorithm with \(.digest)"
        case .nameRoot: "name its root with \(giving: .tsaAnchor)"
        case .seeAlgorithm(let file): "see its algorithm with: \(task: .show(file: file))"
        case .setClock: "set the clock; if it is right, use another \(giving: .tsa)"
        case .useHTTPS: "use an https address, or say \(.unencryptedLogin)"
        case .waitLongerForAuthority:
            "try again, give it more time with \(giving: .tsaTimeout), or add another \(giving: .tsa)"
        case .writeAddress:
            "write it like https://tsa.example/path, a login apart with \(.tsaLogin)"
        case .writeEnvelope: "the envelope is XML with {request} where the request in base64 goes"
        case .writeListeningAddress: "write it like 127.0.0.1:8080, or :0 for any port"
        case .writePolicy: "write the policy like 1.3.6.1.4.1.99999.1"
        }
    }
}
