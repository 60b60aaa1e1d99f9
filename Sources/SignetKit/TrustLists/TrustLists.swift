import Base
import CryptoBridge
import SystemBridge
import TrustKit

/// Trusted lists for verification: the European ones, or those of a closed group in the same
/// format.
public struct TrustLists: Sendable {
    /// The name of the European lists that `trust update` fetched.
    public static let european = "eu"

    let lists: TrustedLists
    /// The imported lists among them.
    let imported: [UsedTrustLists.Imported]

    /// - Parameters:
    ///   - names: ``european``, an ``AnchorListKind`` of an imported list, folders with a list of
    ///     lists and national lists, or files with one list each.
    ///   - certificates: files with certificates of permitted signers of lists given as files.
    ///   - anchors: files with certificates for verifying the list of lists, instead of those of
    ///     the Official Journal.
    ///   - time: validation time; lists in folders must be current at it. Nil is now.
    /// - Throws: ``SignetError``: `usage` for several sources of European lists, and for
    ///   certificates or anchors that no list needs, `credentialRefused` for a list by an unknown signer.
    public init(
        _ names: [String], certificates: [String] = [], anchors: [String] = [], time: Moment? = nil
    ) throws {
        let imported = names.filter { AnchorListKind(rawValue: $0.lowercased()) != nil }
        let isEuropean = names.contains {
            $0.lowercased() == Self.european || FileSystem.isDirectory($0)
        }
        if imported.count == names.count, !certificates.isEmpty {
            throw SignetError(
                .usage, "the certificate of a list's signer is given, but imported lists need none")
        }
        if !isEuropean, !anchors.isEmpty {
            throw SignetError(
                .usage, "a trust anchor of the EU lists is given, but these lists are not used",
                hint: Sentence(.giveListFolder))
        }
        let signers = try certificates.flatMap(SigningCredential.readCertificates)
        var sources: [any TrustListSource] = []
        var given: [TrustList] = []
        var others: [(list: AnchorList, used: UsedTrustLists.Imported)] = []
        var usesFetched = false
        for name in names {
            if name.lowercased() == Self.european {
                usesFetched = true
                sources.append(try TrustListCache.fetched())
            } else if let kind = AnchorListKind(rawValue: name.lowercased()) {
                others.append(try ImportTrustAnchors.stored(kind))
            } else if FileSystem.isDirectory(name) {
                sources.append(try TrustListFolder(name))
            } else {
                given.append(try Self.givenList(name, signers: signers))
            }
        }
        guard sources.count <= 1 else {
            throw SignetError(
                .usage, "several sources of EU trusted lists are given", hint: Sentence(.nameOne))
        }
        let now = SystemClock.now()
        self.imported = others.map(\.used)
        lists = TrustedLists(
            source: sources.first, authority: try Self.authority(anchors), given: given,
            others: others.map(\.list), at: usesFetched ? now : time?.time ?? now)
    }

    static func authority(_ anchors: [String]) throws -> ListAuthority {
        guard !anchors.isEmpty else { return ListAuthority() }
        return ListAuthority(.certificates(try anchors.flatMap(SigningCredential.readCertificates)))
    }

    private static func givenList(_ path: String, signers: [Certificate]) throws -> TrustList {
        guard FileSystem.exists(path) else {
            throw SignetError(
                .missingInput, file: path, "neither a known trusted list nor a file",
                hint: Sentence(.nameTrustList))
        }
        let document = try reading(path) {
            try FileSystem.readAll(path, limit: TrustListLimits.byteCount)
        }
        let list: TrustList
        do {
            list = try TrustList(document: document)
        } catch {
            throw SignetError(error, file: path)
        }
        guard signers.contains(list.signer) else {
            throw SignetError(
                .credentialRefused, file: path,
                "the list is signed by \(list.signer.subject), whose certificate was not given",
                hint: Sentence(.vouchForList))
        }
        return list
    }
}

extension SignetError {
    init(_ error: TrustListError, file: String?) {
        let code: Code
        var hint: Sentence?
        switch error.code {
        case .missing: code = .missingInput
        case .parserMissing:
            code = .serviceUnavailable
            hint = Sentence(.installParser)
        case .anchorOutdated:
            code = .credentialRefused
            hint = Sentence(.updateOrGiveAnchor)
        case .signatureInvalid, .signerUnknown, .rollback, .expired: code = .wrongAnswer
        case .malformed, .signatureForm, .otherList, .limitExceeded: code = .malformedInput
        }
        self.init(code, file: file, error.detail, hint: hint)
    }
}
