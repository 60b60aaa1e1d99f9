import SignetKit

/// What may help, in words.
extension CommandLineVocabulary {
    func words(for advice: Advice) -> Wording {
        switch advice {
        case .general(let advice): words(for: advice)
        case .document(let advice): words(for: advice)
        case .outcome(let advice): words(for: advice)
        case .output(let advice): words(for: advice)
        case .place(let advice): words(for: advice)
        case .stamp(let advice): words(for: advice)
        case .text(let advice): words(for: advice)
        case .photo(let advice): words(for: advice)
        case .message(let advice): words(for: advice)
        case .evidence(let advice): words(for: advice)
        case .certificate(let advice): words(for: advice)
        case .request(let advice): words(for: advice)
        case .identity(let advice): words(for: advice)
        case .key(let advice): words(for: advice)
        case .token(let advice): words(for: advice)
        case .service(let advice): words(for: advice)
        case .program(let advice): words(for: advice)
        case .authority(let advice): words(for: advice)
        case .list(let advice): words(for: advice)
        case .settings(let advice): words(for: advice)
        }
    }
}

extension CommandLineVocabulary {
    func words(for advice: Advice.General) -> Wording {
        switch advice {
        case .add(let setting): "add \(giving: setting)"
        case .give(let setting): "give it with \(giving: setting)"
        case .install: "install it, and try again"
        case .installPackage(let package): "install it: apt install \(package)"
        case .leaveItOut: "leave it out"
        case .leaveOut(let setting): "leave out \(setting)"
        case .meant(let word): "did you mean '\(word)'?"
        case .name(let setting): "name it with \(giving: setting)"
        case .nameOne: "give one of them"
        case .nothingWasWritten: "nothing was written"
        case .tryLater: "try again later"
        case .use(let setting): "use \(giving: setting)"
        }
    }

    func words(for advice: Advice.Settings) -> Wording {
        switch advice {
        case .chooseProfile(let names): "there are: \(names)"
        case .namePassphraseFile: "name a file with passphrase-file, or leave it out to be asked"
        case .protect: "make it yours: chmod o-w, or chown"
        case .writeInto(let file): "write them into \(file)"
        case .writeIntoAndName: "write them into a file, and name it with \(.configuration)"
        case .writeProfile(let name): "write it there: [profile.\(name)]"
        }
    }

    func words(for advice: Advice.List) -> Wording {
        switch advice {
        case .chooseTerritory(let known): "it knows \(known)"
        case .fetch: "fetch them with: \(task: .fetchTrustLists)"
        case .giveFolder: "give a folder with the list of lists and the national lists as XML"
        case .installParser: "install it with: apt install libexpat1"
        case .removeAndFetch(let folder): "remove \(folder) and fetch the lists again"
        case .updateOrGiveAnchor:
            "a newer version may know it; or save the certificates that the Official Journal prints, and give them with: \(giving: .trustAnchor)"
        case .vouch: "vouch for it with: \(giving: .trustListCertificate)"
        }
    }

    func words(for advice: Advice.Identity) -> Wording {
        switch advice {
        case .choose(let names): "name one with \(.identity): \(names)"
        case .chooseOtherNameOrRemove(let name):
            "choose another name, or remove it: \(task: .removeIdentity(name: name))"
        case .chooseUnmistakableName: "choose a name that nobody takes for another"
        case .complete: "when it comes: signet identity complete CERT"
        case .completeOrRemove(let name):
            "complete it, or remove it: \(task: .removeIdentity(name: name))"
        case .giveKeyOrImport: "give \(giving: .key), or keep an identity: \(task: .importIdentity)"
        case .leaveOutKeyOrImport:
            "leave it out to have a key made, or import it with its certificate"
        case .leaveOutToken: "leave the token out"
        case .list: "see what there is: \(task: .listIdentities)"
        case .replace: "replace it with \(.force)"
        case .seePending: "see what is waited for: \(task: .listPendingIdentities)"
        case .setHome: "set HOME or XDG_DATA_HOME to an absolute path"
        case .shortenName(let limit): "use up to \(limit) letters, digits, dashes"
        }
    }
}
