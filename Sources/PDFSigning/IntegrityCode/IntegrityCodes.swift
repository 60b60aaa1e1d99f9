internal import Base
import CMSKit
import CryptoBridge
package import PDFCore

/// The MACs of an encrypted document, one for each revision (ISO/TS 32004), read from the trailers
/// and checked after the file was hashed.
///
/// A MAC proves that the author of a revision had the password or key, but not who it was.
package struct IntegrityCodes {
    /// The MAC of one revision.
    private struct Code {
        let location: IntegrityCodeReport.Location
        let token: IntegrityToken
        let byteRange: ByteRange
        /// The value of the signature that contains it.
        let signature: [UInt8]?

        var request: ByteRangeHasher.Request {
            .init(byteRange: byteRange, algorithm: token.digestAlgorithm)
        }
    }

    private enum Finding {
        case absent
        case malformed(String)
        case code(Code)
        /// Hashing would exceed the limit.
        case unchecked
    }

    private let isRequired: Bool
    /// Whether the requirement for a MAC cannot be determined.
    private let isDemandUnknown: Bool
    private let encryption: PDFEncryption?
    /// The oldest revision first.
    private let findings: [Finding]

    /// Maximum number of revisions whose MACs are checked, newest first.
    private static let maximumRevisionCount = 1000

    package init(of document: PDFDocument) throws {
        encryption = document.encryption
        isRequired = encryption?.demandsIntegrityCode ?? false
        let isPresent = document.sections.contains { $0.trailer["AuthCode"] != nil }
        isDemandUnknown = Self.isDemandUnknown(in: document)
        guard isPresent || isRequired || isDemandUnknown else {
            findings = []
            return
        }
        guard !document.isRebuilt else {
            findings = [.malformed("the cross-references are damaged")]
            return
        }
        let groups = document.revisionSections
        let found: [Finding] = try groups.indices.suffix(Self.maximumRevisionCount).map { index in
            guard let newest = groups[index].last else { return .absent }
            let isLast = index == groups.count - 1
            let next = isLast ? nil : groups[index + 1].first.map { document.sections[$0].offset }
            do {
                return try Self.finding(
                    in: document, section: newest,
                    end: isLast
                        ? document.source.byteCount...document.source.byteCount
                        : document.sections[newest]
                            .endOffset...max(next ?? 0, document.sections[newest].endOffset))
            } catch let error as PDFError where error.code != .readFailed {
                return .malformed(error.detail)
            } catch let error as CMSError {
                return .malformed(error.detail)
            }
        }
        findings = Self.bounded(found, of: document)
    }

    private static func isDemandUnknown(in document: PDFDocument) -> Bool {
        guard let encryption = document.encryption else { return false }
        switch encryption.integrityCodeDemand {
        case .none, .demanded: return false
        case .unknown: return true
        case .ambiguous: return encryption.hasIntegritySalt || isExtended(document)
        }
    }

    /// Whether the document declares the extension (ISO/TS 32004 §4).
    private static func isExtended(_ document: PDFDocument) -> Bool {
        guard let catalog = try? document.catalog(),
            let extensions = try? document.value(catalog, "Extensions").dictionaryValue,
            let found = try? document.value(extensions, "ISO_")
        else { return false }
        return (found.arrayValue ?? [found]).contains { entry in
            let level = (try? document.resolve(entry))?.dictionaryValue?["ExtensionLevel"]
            return level?.integerValue == extensionLevel
        }
    }

    private static let extensionLevel = 32004

    /// Bytes hashed for all MACs, in addition to four times the document's size.
    private static let hashedByteAllowance = 1 << 28

    /// The newest MACs, within the limit. Without the file encryption key nothing is hashed.
    private static func bounded(_ findings: [Finding], of document: PDFDocument) -> [Finding] {
        guard document.encryption?.hasKey == true else { return findings }
        var budget = hashedByteAllowance + 4 * document.source.byteCount
        return findings.reversed().map { finding in
            guard case .code(let code) = finding else { return finding }
            budget -= code.byteRange.second.count
            return budget < 0 ? .unchecked : finding
        }.reversed()
    }

    // MARK: Reading

    /// - Parameter end: the positions at which the revision may end.
    private static func finding(
        in document: PDFDocument, section: Int, end: ClosedRange<Int>
    ) throws -> Finding {
        guard let entry = document.sections[section].trailer["AuthCode"] else { return .absent }
        guard let dictionary = entry.dictionaryValue, dictionary.duplicateKeys.isEmpty else {
            return .malformed("the entry /AuthCode is not a direct dictionary")
        }
        let code: Code
        switch dictionary["MACLocation"]?.nameValue {
        case "Standalone"?:
            guard let bytes = dictionary["MAC"]?.stringValue else {
                return .malformed("the entry /MAC is missing")
            }
            let numbers = (dictionary["ByteRange"]?.arrayValue ?? []).map { $0.integerValue ?? -1 }
            guard let range = ByteRange(numbers, in: document.source.byteCount) else {
                return .malformed("its byte range does not fit the file")
            }
            // Two digits for each byte, between angle brackets.
            guard range.gap.count == 2 * bytes.count + 2 else {
                return .malformed("the gap in its byte range is not exactly the MAC")
            }
            let gap = try document.source.bytes(at: range.gap.lowerBound, count: range.gap.count)
            guard gap.first == UInt8(ascii: "<"), gap.last == UInt8(ascii: ">"),
                Hex.decode(Array(gap.dropFirst().dropLast())) == bytes
            else { return .malformed("the gap in its byte range is not exactly the MAC") }
            code = Code(
                location: .standalone, token: try IntegrityToken(bytes), byteRange: range,
                signature: nil)
        case "AttachedToSig"?:
            guard let id = dictionary["SigObjRef"]?.referenceValue else {
                return .malformed("the entry /SigObjRef is missing")
            }
            let view = document.view(newestSection: section)
            guard let value = try SignatureValue.read(id, in: view).value else {
                return .malformed(
                    "the object that should contain it is not a signature (object \(id.number))")
            }
            code = try attached(to: value)
        default: return .malformed("the entry /MACLocation is missing or unknown")
        }
        guard end.contains(code.byteRange.second.upperBound) else {
            return .malformed("it does not cover the whole revision")
        }
        return .code(code)
    }

    private static func attached(to value: SignatureValue) throws -> Code {
        let message = try Self.message(in: value.contents)
        guard message.signers.count == 1, let signer = message.signers.first else {
            throw CMSError(.malformed, "the signature that contains it has several signers")
        }
        let tokens = signer.unsignedAttributes.values(.integrityToken)
        guard tokens.count == 1, let token = tokens.first else {
            throw CMSError(
                .malformed, "the signature that should contain it has \(tokens.count) MACs")
        }
        return Code(
            location: .attachedToSignature, token: try IntegrityToken(token),
            byteRange: value.byteRange, signature: signer.signature)
    }

    /// The CMS message in Contents without the padding; BER too, since some TSAs encode it so.
    private static func message(in contents: [UInt8]) throws(CMSError) -> SignedData {
        let length = ASN1Node.byteCount(in: contents, .ber)
        let bytes = Array(contents[..<(length ?? contents.count)])
        return try SignedData.Encoding.either { encoding throws(CMSError) in
            try SignedData(bytes, encoding: encoding)
        }
    }

    // MARK: Checking

    /// Whether the document has no MACs and requires none.
    package var isEmpty: Bool { findings.isEmpty }

    /// The digests to compute.
    package var requests: [ByteRangeHasher.Request] {
        guard encryption?.hasKey == true else { return [] }
        return findings.compactMap { finding in
            if case .code(let code) = finding { code.request } else { nil }
        }
    }

    /// The MAC of the newest revision; nil if the document has no MACs and requires none.
    package var newest: IntegrityCodeReport? {
        guard let newest = findings.last else { return nil }
        var report = IntegrityCodeReport(isRequired: isRequired)
        if case .code(let code) = newest {
            report.location = code.location
            report.digest = code.token.digestAlgorithm
        }
        if case .absent = newest {} else { report.isPresent = true }
        return report
    }

    /// - Parameter digestOf: returns the digest of a request.
    /// - Returns: nil if the document has no MACs and requires none.
    package func report(
        digestOf: (ByteRangeHasher.Request) throws -> [UInt8]?
    ) throws -> IntegrityCodeReport? {
        guard var report = newest else { return nil }
        var key = try encryption?.integrityKey() ?? []
        defer { SecretBytes.wipe(&key) }
        var older: [(problem: VerificationProblem, first: Int, count: Int)] = []
        for (index, finding) in findings.enumerated() {
            guard let problem = try problem(of: finding, key: key.isEmpty ? nil : key, digestOf)
            else { continue }
            let isNewest = index == findings.count - 1
            if isNewest {
                report.problems.append(problem)
            } else if let same = older.firstIndex(where: { $0.problem == problem }) {
                older[same].count += 1
            } else {
                older.append((problem, index + 1, 1))
            }
        }
        report.problems.insert(
            contentsOf: older.map { $0.problem.said(ofRevision: $0.first, count: $0.count) }, at: 0)
        return report
    }

    /// Why the removal of a MAC could not be detected.
    private var unknownDemand: String {
        if encryption?.integrityCodeDemand == .ambiguous {
            return
                "the permissions may require a MAC, which is missing: their bit for it "
                + "is 0, and so are others that have to be 1"
        }
        return encryption?.hasKey == false
            ? "the document password is required to check whether a MAC was removed"
            : "the encrypted copy of the permissions is damaged: it is unknown whether the document "
                + "requires a MAC"
    }

    private func problem(
        of finding: Finding, key: [UInt8]?, _ digestOf: (ByteRangeHasher.Request) throws -> [UInt8]?
    ) throws -> VerificationProblem? {
        switch finding {
        case .absent:
            if isDemandUnknown { return .doubt(.integrityCodeUnchecked, unknownDemand) }
            return isRequired
                ? .failure(
                    .integrityCodeMissing,
                    "the document requires a MAC, which was removed")
                : nil
        case .unchecked:
            return .doubt(
                .tooMuchToHash, "the MACs cover too many bytes: not all were checked")
        case .malformed(let detail):
            return .failure(
                .integrityCodeMalformed, "the MAC cannot be checked: \(detail)")
        case .code(let code):
            guard let encryption else {
                return .failure(
                    .integrityCodeMalformed,
                    "the document has a MAC, but is not encrypted")
            }
            guard encryption.hasKey else {
                return .doubt(
                    .integrityCodeUnchecked,
                    "the document password is required to check the MAC")
            }
            guard let key else {
                return .failure(
                    .integrityCodeMalformed,
                    "the MAC cannot be checked: the encryption dictionary has no "
                        + "/KDFSalt")
            }
            guard let digest = try digestOf(code.request),
                let fault = try code.token.fault(
                    keyEncryptionKey: key, dataDigest: digest, signature: code.signature)
            else { return nil }
            return .failure(.integrityCodeWrong, "the MAC is wrong: \(fault)")
        }
    }
}

extension VerificationProblem {
    fileprivate func said(ofRevision number: Int, count: Int) -> VerificationProblem {
        let others = count > 1 ? " and \(count - 1) more" : ""
        return VerificationProblem(
            code, "revision \(number)\(others): \(message)", verdict: verdict,
            subIndication: subindication)
    }
}
