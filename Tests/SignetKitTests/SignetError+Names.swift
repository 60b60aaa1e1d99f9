import SignetKit

extension SignetError {
    /// Whether the hint names the setting, with the value where one is given.
    func names(_ setting: Wording.Setting, _ value: String? = nil) -> Bool {
        (hint?.parts ?? []).contains { part in
            guard case .setting(setting, let mention) = part else { return false }
            return value.map { mention == .value($0) } ?? true
        }
    }
}
