/// A hint, warning or notice as a code with facts. The program that shows it adds the text.
public struct Sentence: Sendable, Hashable {
    /// Code of the sentence.
    public let code: Code
    /// Names, files and numbers in the order of the sentence.
    public let facts: [String]

    /// Creates a sentence with its facts.
    public init(_ code: Code, _ facts: String...) { self.init(code, facts: facts) }

    /// Creates a sentence with a list of facts.
    public init(_ code: Code, facts: [String]) {
        self.code = code
        self.facts = facts
    }

    /// Creates a sentence from text without options or commands.
    public init(_ words: String) { self.init(.words, words) }

    /// Stable for programs.
    public enum Code: String, Sendable, CaseIterable {
        // General.
        case addCertificate, addSubject, addTSA, didYouMean, giveCertificate,
            giveCertificateOrQuote, giveContent,
            giveDecryptionCertificate, install, installPackage, leaveItOut, leaveOutDigest,
            nameOne, nothingWasWritten, options, signedAsDemanded, tryLater, useSecret,
            words
        // PDF documents and their fields.
        case addAuthorityOrPrepareAnew, agreeToField, allowDamaged, allowFailed,
            askAuthorForPermission, askForOtherEncryption, askForWhole, certify,
            checkOrAskForWhole, checkPassword, chooseOtherFieldName, coverNoField,
            doNotCertify, doNotMark, printForm, embedDigest, embedFirst, embedMessage, embedStamped,
            embedValue,
            embedWhole, getAgain,
            getPreparedFile,
            giveAuthorityOrOtherField,
            giveOwnerKey, giveOwnerPassword, giveReason, giveSigned, identifyFile,
            leaveOutLockLevel, leaveOutReasonOrCommitment,
            lockFields, makeWithoutOrUnstrictly, meantField, nameDecryptionKey,
            nameDecryptionKeyAndCertificate, nameEachField, nameFieldOrAdd, numberSignature,
            prepareAnew, prepareForMessage, prepareWithDigest, signWithDigest, prepareWithPadding,
            signAsCAdESOrPrepare, signWithSalt,
            prepareWithRoom, seeFields,
            seeFieldsOrAdd,
            seeWhatItIs, trustOrSee, useContainerOfXML,
            signHashWritten, signAsPDF, signInOtherField, signUnseenOrInField, useOrAddField,
            useFirstSignature,
            verifyAgain, verifyInstead, writeValueAlone
        // Results and next steps.
        case extendFurther, extendFurtherWithList, markedNothing, renewFurther,
            renewFurtherWithList, verifyTrusting
        // Files and folders.
        case attributesLost, cannotExchange, cannotLock, checkPath, checkPermissions,
            closedToOthers, entriesWithoutPlace, folderLinkNotFollowed, forceOrRename, skipOrMove,
            freeSpace, giveListedFolder, giveOutputFolder, givePlaces, includeOthers,
            linkLeadsNowhere,
            linkNotFollowed, lookOrReplace, makeFolder, makeFolderFirst, repeatChanged,
            nameAnotherOrRemove, nameFileOrRecurse, nameThemOrWriteElsewhere,
            otherNamesKeepContent, outputsPassedOver, replaceInput, runAgain, runAgainLater,
            setHome, tooDeep, waitingForProgram, writeElsewhere, writeElsewhereOrPermit,
            writeElsewhereOrSkip,
            writeIntoFile
        // Places of stamps and marks.
        case addPlace, checkWords, checkWordsOrPage, chooseNextFreePlace, chooseOtherPlaceOrSize,
            chooseOtherPlaceOrUnstrictly, chooseSmaller, chooseSmallerOrOtherPage,
            consentToField, countPages, enlargeOrUseRectangle, leaveOutPlaceOrAddField,
            markFewerPages, orderPages, remakeOrSignUnseen, sayPlace, sayPlaceOfProtected,
            sayWhichWords, sayWords, takeEarlierPage, useRectangleOrRemake,
            useNameOfPDF, useSize, useSizeAndMargin, writeWords
        // Pictures and fonts of stamps.
        case doubtfulInk, giveAsInk, giveAsPicture, giveOpenFont, givePicture,
            givePictureInKnownColours,
            giveStrokes, installFont, installTextLibraries, leaveOutCharacterOrNameFont,
            nameFont, nameFontOrLetFind, nameFontOrNone, writeStrokes
        // Texts, dates and times in stamps.
        case chooseDateLetters, chooseWord, enlargeOrShorten, enlargeOrShortenCode,
            installZonesOrSayOffset, leaveOutFormat, leaveOutText, meantWord, quoteWords, sayOffset,
            shortenCode, useLatinLetters, writeCode, writeDateFormat, writeZone
        // Photos.
        case allowMore, allowMoreOrGiveFewer, allowMoreOrMakeJPEG, convertHEIC, givePhoto,
            leaveOutArchivalFormat, leaveOutOrMakeJPEG, makeJPEG, makeOrdinaryJPEG, onlyPhotos,
            otherImagesLeftOut, photoTooCoarse, photoTooLarge,
            photoWithPlace, photoWithoutSize, scaleInstead, takeStillPicture, useSmallerMargin
        // Detached signatures and CMS messages.
        case decryptFirst, detach, extendByItsMaker, giveMessage, leaveOutContent,
            messageWithoutSignature, nameContent, renameDocument, renameOrAskForOriginal,
            saveAttachment,
            seeFailedMessage, signAnew, verifyBeside
        // Long-term validation.
        case addRoot, addRootOfAuthority, goOnlineOrGive, giveList, giveListOrSignLower,
            giveNewerList,
            giveNewerListUnwritten,
            giveNewerListOrSignLower, leaveOutOrGiveAnother, nameIssuer, renewToKeep,
            renewWithNewerData,
            seeFailedDocument, seeUnwritten, signFirst, signLowerOrPublishing, addRootAndList,
            signThenExtend, trustSelfSigned, useOtherTSAForLT,
            tryLaterOrGive, tryLaterOrSignLower, useOtherAuthority, waitForFresh
        // Certificates, trust and revocation lists.
        case addOrMake, checkClock, claimEarlierTime, giveAsReceived, giveAuthority,
            giveFileOrFolder,
            giveOneCertificate, giveOneSigner, giveRevocationList, nameOneWithIssuers,
            useCertificateFile, useCertificateOfKeyStore, useForSigning, useForTimestamps,
            useValidCertificate,
            writeCertificatePolicy
        // Certificate requests and issuing.
        case acceptDifferences, completeLater, acceptOrGiveNames, acceptOrGiveSubject,
            askForAnotherKeepingRequest, askForFewerDays, askForNewRequest,
            chooseProfileOrIssuer, giveAlternativeNames, giveKeyOrIssuer,
            issueWithAuthority, issueWithValid, makeAuthority, nameExtendedKeyUsage,
            escapeComma, nameAttribute, nameKeyUsage, renameSubject, seeNameConstraints,
            useExtendedKeyUsage, useKeyUsage, writeAlternativeNames,
            writeSubject
        // The identity store.
        case changeUnfinished, chooseIdentity, chooseOtherNameOrRemove,
            chooseUnmistakableName, completeIdentity, completeOrRemove, completeWithChain,
            giveKeyOrImport,
            leaveOutKeyOrImport, leaveOutToken, leftoversRemoved, listIdentities, missingParts,
            nothingToComplete, namesLost, otherNames, renewIdentity, replaceIdentity,
            requestFinished,
            requestPending,
            seePending, useInServer,
            setDataHome, shortenName, storeDamaged
        // Keys.
        case askWhichKey, breakLines, changeTwin, checkPassphrase, chooseAlgorithm, convertKeyStore,
            decodeBase64, decodeHash,
            chooseKeyType, chooseKnownType,
            encodeAsText, fillSecretFile, nameSecretFile, giveDecryptingKey, giveIssuedCertificate,
            giveItsCertificate,
            giveKeyAndCertificate, givePublicKey, useAsPublicKey, hashWasHashed, leaveUnencrypted,
            listKeys,
            listKeysAfterLogin, makeOnToken, nameAliasOrCertificate, nameDigestOrSignData,
            onlyUsableKey,
            useHashList,
            savePlainText, stayBelowLimit, checkSource,
            seeWhatItHolds, setVariableOrUseSecret, signAsMessageOrUseOtherKey,
            signDataOrUseOtherKey, signHashAsHash, swapKeyAndCertificate,
            swapIssuerKeyAndCertificate, useIssuedCertificate,
            writeFileAsPath,
            wrongPassphrase, wrongPassword
        // Keys on tokens.
        case checkPIN, chooseOtherObject, choosePIN, closeOtherProgram, confirmOnReader,
            enterPINOnReader, giveConfirmingPIN, givePINByHand, giveTokenMessage,
            givenPINNotUsed, insertCard, insertToken, installModule, installSomeModule,
            installSomeModuleAsRoot, leaveOutObjectType, nameKey, nameKeyOrCertificate,
            nameThisToken, nameToken, notTriedAgain, runModuleApart, setPIN, startService,
            unblockPIN,
            unknownQueries, writeTokenURI
        // Keys at signing services.
        case authorizeAgain, browserConsents, checkAddress, checkClientLogin, checkCredential,
            checkNetwork, checkServiceLogin, enableAtService, giveAddressItself, giveClientID,
            giveOneTimePasswords, leaveOutCredential, logInToService, loginNotStored,
            refusedOtherUser,
            nameAuthorizationServer, nameServiceAnchor, nothingMoreIsSent, oneTimePasswords,
            pasteRedirect, pasteWholeURL,
            removeLogin,
            renewAccessToken, setStateHome, useNoBrowser, useServiceHTTPS, waitLonger,
            waitingForBrowser, writeServiceURI
        // Keys of OpenSSL providers.
        case askForProviderPIN, checkProviderKey, checkProviderPIN, installProvider,
            writeProviderURI
        // Keys in signer programs.
        case checkProgram, checkProgramPath, installProgram, moreWordsOfProgram,
            protectProgram, wordsOfProgram, writeProgramURI
        // Time-stamping authorities.
        case addAuthority, checkAuthorityAddress, checkAuthorityAddressLater,
            chooseOtherPort, digestFirst, distrustAuthority, giveAuthorityLogin,
            giveCertificateAndKey, giveClientCertificate, giveHash, giveRecord, giveReply,
            joinEachOnce, makeLeaves,
            nameAuthorityAnchor, nameAuthorityIssuer, nameAuthorityServerAnchor, nameDigest,
            seeAlgorithm, sendFewerRequests, setClock, stampsGivenAgain, stampsRefused,
            stampsRefusedUntilRestart, uncheckedTimestamp, untrustedTimestamp, useAuthorityHTTPS,
            useAuthorityWithoutTLS, useOtherFolder,
            renameFile,
            waitLongerForAuthority, waitingForAuthority, writeAddress, writeHash,
            writeListeningAddress,
            writeTimestampPolicy
        // Installed parts.
        case forCompression, forDrawings, forJPEG, forKeyProgram, forNetwork, forPNG,
            forPageImages, forPasswords, forProviders, forQRCodes, forQualified, forRightToLeft,
            forSignatures,
            forText,
            forTokens, forTrust, forTrustList, forWords, forXML
        // Trusted lists.
        case chooseTerritory, confirmListSigner, fetchLists, forceExpired, forceImport,
            giveListFolder,
            giveSecuritySettings,
            importList, installParser, nameTrustList, removeAndFetch, replaceList,
            updateOrGiveAnchor,
            vouchForList
        // Settings.
        case chooseProfile, namePassphraseFile, protectSettings, settingsUsed, writeProfile,
            writeSettingsAndName, writeSettingsInto
    }
}

extension Sentence: ExpressibleByStringInterpolation {
    public init(stringLiteral words: String) { self.init(words) }
}

extension Sentence: CustomStringConvertible {
    /// The text, or the code and its facts.
    public var description: String {
        let facts = facts.joined(separator: ", ")
        return code == .words ? facts : "\(code.rawValue)(\(facts))"
    }
}

extension Sentence: Encodable {
    /// Key in an encoder's user info for a function `@Sendable (Sentence) -> String` that returns
    /// the text.
    public static let wordsKey = CodingUserInfoKey(rawValue: "words")

    public func encode(to encoder: any Encoder) throws {
        let words = Self.wordsKey.flatMap {
            encoder.userInfo[$0] as? @Sendable (Sentence) -> String
        }
        var container = encoder.singleValueContainer()
        try container.encode(words?(self) ?? description)
    }
}
