/// How much of the file a signature covers.
public enum Coverage: String, Sendable, CaseIterable, Codable {
    /// Every byte but its own value.
    case wholeFile = "whole-file"
    /// Every byte of the revision that it was made in; later ones follow.
    case revision
    /// It leaves out bytes that it should cover.
    case partial
}
