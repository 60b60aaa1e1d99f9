import SignetKit

/// Output lines that say whether a signature and its timestamp are qualified (EU trusted lists).
enum QualificationText {
    static func rows(_ signature: VerifiedSignature) -> [(label: String, text: String)] {
        var rows: [(label: String, text: String)] = []
        if let found = signature.qualification {
            let level =
                found.level.hasPrefix("Indeterminate") ? "not determined" : found.level
            rows.append(("Qualification", "\(level): \(text(found))"))
            if let service = found.service, let list = found.list {
                rows.append(
                    (
                        "Trust service",
                        "\(service.provider), \(service.name), \(service.status) since "
                            + "\(service.since.day) (trusted list \(list.sequence) of "
                            + "\(list.territory))"
                    ))
            }
            rows += found.reasons.map { ("", $0.message) }
            if let limit = found.certificate.limit {
                rows.append(("Limit", "transactions up to \(limit), by the certificate"))
            }
        }
        if let found = signature.timestamp?.qualification {
            rows.append(("Qualification", text(found)))
            if found.qualified != true { rows += found.reasons.map { ("", $0.message) } }
        }
        return rows
    }

    private static func text(_ found: VerifiedTimestampQualification) -> String {
        let by = found.service.map { " by \($0.provider)" } ?? ""
        return switch found.qualified {
        case true?: "qualified timestamp" + by
        case false?: "timestamp not qualified"
        case nil: "timestamp not confirmed as qualified"
        }
    }

    private static func text(_ found: VerifiedQualification) -> String {
        let law = found.law == "directive" ? " (Directive 1999/93/EC)" : ""
        let device =
            switch found.certificate.qscd {
            case true?: ", key in a QSCD"
            case false?: ", key not in a QSCD"
            case nil: ""
            }
        return switch found.certificate.qualified {
        case true?: "qualified certificate\(law)\(device)"
        case false?: "certificate not qualified"
        case nil: "certificate not confirmed as qualified"
        }
    }
}
