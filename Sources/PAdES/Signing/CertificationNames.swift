/// Names of the permissions of a certification signature, DocMDP /P (ISO 32000-2 Table 257).
package enum CertificationNames {
    package static func name(level: Int) -> String? {
        switch level {
        case 1: "no-changes"
        case 2: "form-filling"
        case 3: "annotations"
        default: nil
        }
    }

    /// What holds where nobody restricts anything (ISO 32000-2 Table 236).
    static let loosest = 3

    /// The furthest change that the permission allows.
    static func permittedChanges(level: Int?) -> ChangeLevel {
        switch level {
        case 1: .archival
        case 2: .formFilling
        default: .annotations
        }
    }
}
