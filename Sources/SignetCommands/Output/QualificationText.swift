import SignetKit

/// The qualification as text.
enum QualificationText {
    static func lines(_ signature: VerifiedSignature) -> [(label: String, text: String)] {
        var lines: [(label: String, text: String)] = []
        if let found = signature.qualification {
            lines.append(("qualified", "\(found.level): \(words(found))"))
            if let service = found.service, let list = found.list {
                lines.append(
                    (
                        "listed as",
                        "\(service.provider), \(service.name), \(service.status) since "
                            + "\(service.since.day) (list \(list.sequence) of "
                            + "\(list.territory))"
                    ))
            }
            for reason in found.reasons { lines.append(("", reason.message)) }
            if let limit = found.certificate.limit {
                lines.append(("limit", "the certificate is meant for sums up to \(limit)"))
            }
        }
        if let found = signature.timestamp?.qualification {
            lines.append((signature.kind == .timestamp ? "qualified" : "timestamp", words(found)))
            if found.qualified != true {
                for reason in found.reasons { lines.append(("", reason.message)) }
            }
        }
        return lines
    }

    private static func words(_ found: VerifiedTimestampQualification) -> String {
        let by = found.service.map { " by \($0.provider)" } ?? ""
        switch found.qualified {
        case true?: return "a qualified timestamp" + by
        case false?: return "no qualified timestamp"
        case nil: return "whether the timestamp is qualified cannot be told"
        }
    }

    private static func words(_ found: VerifiedQualification) -> String {
        let law = found.law == "directive" ? " by the law before July 2016" : ""
        let device: String
        switch found.certificate.qscd {
        case true?: device = ", key in a qualified device"
        case false?: device = ", key in no qualified device"
        case nil: device = ""
        }
        switch found.certificate.qualified {
        case true?: return "the certificate is a qualified one\(law)\(device)"
        case false?: return "the certificate is no qualified one"
        case nil: return "whether the certificate is a qualified one cannot be told"
        }
    }
}
