import SignetKit

/// The text description of an item: a title, then facts.
struct ArtefactText {
    func lines(_ artefact: ShownArtefact) -> [String] {
        switch artefact {
        case .pdf(let pdf): lines(pdf)
        case .key(let key):
            [
                title(key.file, "\(key.isPrivate ? "private" : "public") key, \(key.algorithm)"),
                fact("public key SHA-256", key.publicKeySHA256),
            ]
                + [
                    ("alias", key.alias), ("localKeyID", key.localKeyID),
                    (
                        "certificate",
                        key.certificateSHA256.map { "\(key.holder ?? ""), SHA-256 \($0)" }
                    ),
                ].compactMap { name, value in value.map { fact(name, $0) } }
        case .certificate(let certificate): lines(certificate)
        case .request(let request): lines(request)
        case .pkcs12(let bundle): lines(bundle)
        case .message(let message): lines(message)
        case .photo(let photo): lines(photo)
        case .revocationList(let list): lines(list)
        case .ocspResponse(let response): lines(response)
        case .timestampRequest(let request): lines(request)
        case .timestamp(let timestamp): lines(timestamp)
        case .evidenceRecord(let record): lines(record)
        case .container(let container): lines(container)
        }
    }

    private func lines(_ container: ShownContainer) -> [String] {
        [title(container.file, "\(container.kind) container (not verified)")]
            + [container.mimeType.map { fact("media type", $0) }].compactMap(\.self)
            + container.entries.map {
                fact($0.role.rawValue, "\($0.name) (\(count($0.byteCount, of: "byte")))")
            }
            + container.references.map {
                fact("covers", "\($0.name): \($0.files.joined(separator: ", "))")
            }
            + container.warnings.map { fact("warning", $0) }
    }

    private func lines(_ request: ShownRequest) -> [String] {
        let proof = request.verified.map { $0 ? "by its key" : "WRONGLY" }
        return [
            title(request.file, "certificate signing request (CSR)"),
            fact("subject", request.subject),
            fact("key", request.algorithm),
            fact(
                "signed", (proof.map { "\($0), " } ?? "not checked, ") + request.signatureAlgorithm),
            fact("key usage", list(request.keyUsage)),
            fact("extended", list(request.extendedKeyUsage)),
            fact("alt. names", list(request.alternativeNames)),
            fact("public key SHA-256", request.publicKeySHA256),
        ]
            + [
                ("template", request.certificateTemplate),
                ("challengePassword", request.challengePassword),
                ("unstructuredName", request.unstructuredName),
                ("unstructuredAddress", request.unstructuredAddress),
            ].compactMap { name, value in value.map { fact(name, $0) } }
    }

    private func lines(_ bundle: ShownPKCS12) -> [String] {
        [
            title(bundle.file, "PKCS#12"),
            fact(
                "contains",
                (bundle.keys == 0
                    ? "" : bundle.keys == 1 ? "a private key, " : "\(bundle.keys) private keys, ")
                    + count(bundle.certificates, of: "certificate")),
            fact(
                "protected by",
                bundle.macDigest.map { "HMAC \($0), \(count(bundle.macIterations, of: "round"))" }
                    ?? "no MAC"),
        ]
    }

    private func lines(_ photo: ShownPhoto) -> [String] {
        let density = photo.density.map {
            $0.x == $0.y ? "\(rounded($0.x)) dpi" : "\(rounded($0.x)) x \(rounded($0.y)) dpi"
        }
        let kind = photo.format == "JPEG" ? "JPEG photo" : "\(photo.format) picture"
        let turned = photo.orientation == 1 ? "upright" : "rotated for display"
        return [
            title(photo.file, "\(kind), \(photo.width) x \(photo.height) pixels"),
            fact("size", "\(photo.byteCount) bytes"), fact("density", density ?? "none"),
            fact(
                "colors",
                "\(photo.colors), \(photo.process), color profile: \(photo.hasProfile ? "yes" : "no")"
            ), fact("orientation", "\(photo.orientation), \(turned)"),
            fact("location", photo.hasLocation ? "GPS position in the metadata" : "none"),
            fact("page size", photo.page),
        ] + photo.warnings.map { fact("note", $0.text) }
    }

    private func lines(_ message: ShownMessage) -> [String] {
        var lines = [
            title(message.file, "CMS SignedData, \(count(message.signers.count, of: "signer"))"),
            fact(
                "content",
                message.contentByteCount.map { "\($0) bytes attached, \(message.contentType)" }
                    ?? "detached, \(message.contentType)"),
        ]
        for signer in message.signers {
            var parts = [signer.name, signer.signatureAlgorithm, signer.digest]
            if let time = signer.claimedTime { parts.append("claimed signing time \(time.text)") }
            if !signer.hasSignedAttributes { parts.append("without signed attributes") }
            if signer.hasTimestamp { parts.append("timestamped") }
            if signer.archiveTimestamps > 0 {
                parts.append(count(signer.archiveTimestamps, of: "archive timestamp"))
            }
            parts += statements(signer.statements, in: signer.location)
            parts += (signer.countersigners ?? []).map { "countersigned by \($0)" }
            lines.append(fact("signer", parts.joined(separator: "; ")))
        }
        lines += message.certificates.map { fact("certificate", $0) }
        lines += message.validationData.map(self.lines) ?? []
        lines.append(fact("verified", "no; run: signet cms verify"))
        return lines
    }

    private func lines(_ list: ShownRevocationList) -> [String] {
        [
            title(list.file, "certificate revocation list"), fact("issued by", list.issuer),
            fact("issued", "\(list.thisUpdate)"),
            fact("valid until", list.nextUpdate.map { "\($0)" } ?? "none"),
            fact("revoked", count(list.revoked, of: "certificate")),
            fact("number", list.number ?? "none"), fact("signed with", list.signatureAlgorithm),
        ]
    }

    private func lines(_ response: ShownOCSPResponse) -> [String] {
        [
            title(response.file, "OCSP response"),
            fact("issued", response.producedAt.map { "\($0)" } ?? "unknown"),
        ]
            + response.answers.map { answer in
                let since = answer.revokedAt.map { " on \($0)" } ?? ""
                let end = answer.nextUpdate.map { ", valid until \($0)" } ?? ""
                return fact(
                    "status",
                    "serial \(answer.serial): \(answer.status)\(since) (\(answer.thisUpdate)\(end))"
                )
            } + response.certificates.map { fact("certificate", $0) }
            + [fact("verified", "no")]
    }

    private func lines(_ certificate: ShownCertificate) -> [String] {
        let isSelfSigned = certificate.subject == certificate.issuer
        return [
            title(certificate.file, certificate.isCA ? "CA certificate" : "certificate"),
            fact("subject", certificate.subject),
            fact("issued by", isSelfSigned ? "itself" : certificate.issuer),
            fact("valid", "\(certificate.notBefore) to \(certificate.notAfter)"),
            fact("key", certificate.algorithm), fact("signed with", certificate.signatureAlgorithm),
            fact("key usage", list(certificate.keyUsage)),
            fact("extended", list(certificate.extendedKeyUsage)),
            fact("alt. names", list(certificate.alternativeNames)),
            fact("serial", certificate.serial), fact("SHA-256", certificate.sha256),
            fact("public key SHA-256", certificate.publicKeySHA256),
        ]
            + [
                ("template", certificate.certificateTemplate),
                ("extensions", certificate.otherExtensions),
            ].compactMap { name, value in value.map { fact(name, $0) } }
    }

    private func lines(_ pdf: ShownPDF) -> [String] {
        var lines = [
            title(pdf.file, "PDF \(pdf.version), \(count(pdf.pages, of: "page"))"),
            fact("size", "\(pdf.byteCount) bytes"),
        ]
        if let page = pdf.firstPage {
            let turn = page.rotation == 0 ? "" : ", turned by \(page.rotation)°"
            lines.append(
                fact("first page", "\(rounded(page.width)) x \(rounded(page.height)) pt\(turn)"))
        }
        lines.append(fact("revisions", "\(pdf.revisions)"))
        lines.append(fact("xref", "cross-reference \(pdf.crossReference)"))
        if let encryption = pdf.encryption {
            let what = encryption.onlyAttachments ? ", attached files only" : ""
            lines.append(
                fact(
                    "encryption",
                    encryption.method
                        + (encryption.recipients.isEmpty
                            ? ", revision \(encryption.revision)" : ", for certificates")
                        + "\(what), opened as \(encryption.openedAs)"))
            for recipient in encryption.recipients { lines.append(fact("for", recipient)) }
            lines.append(fact("permitted", list(encryption.permissions)))
            if encryption.integrityCodeDemanded {
                lines.append(fact("required", "MAC for every revision"))
            }
            if encryption.integrityCodeDemanded || encryption.integrityCode != nil {
                lines.append(fact("has", integrityCode(encryption)))
            }
        }
        if let certification = pdf.certification {
            lines.append(fact("certified", "permitted changes: \(certification.rawValue)"))
        }
        let signatureFields = pdf.fields.filter { $0.type == "signature" }
        let others = pdf.fields.count - signatureFields.count
        if !pdf.claims.isEmpty {
            lines.append(fact("claims", "\(list(pdf.claims)) (not verified)"))
        }
        if pdf.hasUsageRights {
            lines.append(fact("usage rights", "yes (UR3); any change by another program ends them"))
        }
        lines += formLines(pdf, others: others)
        for field in signatureFields {
            lines.append(
                fact(
                    field.isTimestamp ? "timestamp" : "signature",
                    "\(field.name.inQuotes) (\(state(of: field)))"))
        }
        if !signatureFields.contains(where: { !$0.isTimestamp }) {
            lines.append(fact("signature", "none"))
        }
        lines += pdf.validationData.map(self.lines) ?? []
        lines += pdf.dynamicContent.lines.map { fact("note", $0) }
        lines += Kinds.counted(pdf.warnings).map { fact("warning", $0) }
        return lines
    }

    /// The fields that are not signatures, and their values.
    private func formLines(_ pdf: ShownPDF, others: Int) -> [String] {
        let filled = pdf.fields.filter { $0.value != nil }
        let rest = filled.count - Self.fieldLimit
        return (others > 0 ? [fact("form", count(others, of: "field"))] : [])
            + filled.prefix(Self.fieldLimit).map {
                fact("field", "\($0.name.inQuotes): \(($0.value ?? "").inQuotes)")
            } + (rest > 0 ? [fact("field", "\(rest) more")] : [])
    }

    private func integrityCode(_ encryption: ShownPDF.Encryption) -> String {
        let digest = encryption.integrityCodeDigest.map { " (\($0))" } ?? ""
        return switch encryption.integrityCode {
        case nil: "no MAC, although required"
        case "standalone"?: "MAC in the trailer\(digest), not verified"
        case "unreadable"?: "unreadable MAC"
        default: "MAC in the newest signature\(digest), not verified"
        }
    }

    private func lines(_ data: ShownValidationData) -> [String] {
        var lines = data.pieces.map { fact("validation", $0.description) }
        if lines.isEmpty { lines.append(fact("validation", "none (empty DSS)")) }
        if data.omitted > 0 { lines.append(fact("validation", "\(data.omitted) more")) }
        if let count = data.signatureLists, count > 0 {
            lines.append(
                fact("validation", "VRI entries for \(self.count(count, of: "signature"))"))
        }
        let end = data.renewBefore.map {
            "valid until \($0), if the newest timestamp is valid (not verified; run: signet verify)"
        }
        lines.append(fact("timestamp", end ?? "none"))
        return lines
    }

    /// Maximum number of fields whose values are displayed.
    private static let fieldLimit = 50

    private func state(of field: ShownPDF.Field) -> String {
        guard field.isSigned else { return "empty" }
        guard !field.isPending else {
            return "prepared, to be signed with: signet remote embed"
        }
        let signer = field.signer.map { " by \($0)" } ?? ""
        let time = field.time.map { ", \($0.text)" } ?? ""
        guard !signer.isEmpty || !time.isEmpty else { return "signed" }
        let state = (field.isTimestamp ? "issued" : "signed") + "\(signer)\(time), not verified"
        return ([state] + statements(field.statements, in: field.location)).joined(separator: "; ")
    }

    private func statements(_ stated: VerifiedStatements?, in place: String?) -> [String] {
        var parts = stated?.policy.map { ["signature policy \($0.id ?? "implied")"] } ?? []
        if let stated {
            parts += stated.commitments + stated.roles.map { "claimed role \($0)" }
            parts += stated.contentTimestamps.map { "content timestamp \($0.time)" }
        }
        return parts + (place.map { ["signed in \($0)"] } ?? [])
    }

    private func lines(_ request: ShownTimestampRequest) -> [String] {
        [
            title(request.file, "timestamp request"),
            fact("hash", "\(request.digest) \(request.imprint)"),
            fact("policy", request.policy ?? "any"), fact("nonce", request.nonce ?? "none"),
            fact("certificate", request.asksForCertificate ? "requested" : "not requested"),
        ] + request.extensions.map { fact("extension", $0) }
    }

    private func lines(_ timestamp: ShownTimestamp) -> [String] {
        var lines = [title(timestamp.file, "timestamp \(timestamp.kind)")]
        if let status = timestamp.statusDetail { lines.append(fact("status", status)) }
        guard let token = timestamp.token else { return lines }
        lines += [
            fact("time", "\(token.time)" + (token.accuracy.map { ", accurate to \($0)" } ?? "")),
            fact("hash", "\(token.digest) \(token.imprint)"),
            fact("policy", token.policy),
            fact("serial", token.serial),
            fact("nonce", token.nonce ?? "none"),
            fact("authority", token.signer ?? token.tsa ?? "none"),
        ]
        lines += token.certificates.map { fact("certificate", $0) }
        lines += token.extensions.map { fact("extension", $0) }
        lines.append(fact("verified", "no; run: signet verify"))
        return lines
    }

    private func lines(_ record: ShownEvidenceRecord) -> [String] {
        let stamps = count(record.timestamps.count, of: "timestamp")
        return [
            title(record.file, "evidence record, \(stamps)"),
            fact("digests", list(record.digests)),
        ]
            + record.timestamps.map { stamp in
                let tree =
                    stamp.lists.isEmpty
                    ? "no hash tree"
                    : "hash tree with \(count(stamp.lists.reduce(0, +), of: "hash", "hashes"))"
                let end = stamp.renewBefore.map { "; valid until \($0)" } ?? ""
                return fact(
                    "timestamp",
                    "\(stamp.time.map { "\($0)" } ?? "unreadable") by "
                        + "\(stamp.authority ?? "unknown TSA") (chain \(stamp.chain), "
                        + "\(stamp.digest ?? "unknown hash"), \(tree)\(end))")
            } + (record.encrypted ? [fact("objects", "encrypted before hashing")] : [])
            + [fact("verified", "no; run: signet verify")]
    }

    private func title(_ file: String, _ text: String) -> String {
        Reporter.printable("\(file): \(text)")
    }

    private func fact(_ label: String, _ value: String) -> String { Reporter.fact(label, value) }

    private func list(_ values: [String]) -> String {
        values.isEmpty ? "none" : values.joined(separator: ", ")
    }

    private func count(_ number: Int, of noun: String, _ nouns: String? = nil) -> String {
        "\(number) \(number == 1 ? noun : nouns ?? noun + "s")"
    }

    private func rounded(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        return tenths == tenths.rounded() && tenths.magnitude < 1e15
            ? "\(Int(tenths))" : "\(tenths)"
    }
}
