/// How much of the file a signature covers.
public enum Coverage: String, Sendable, CaseIterable, Codable {
    /// Every byte except the signature value (Contents).
    case wholeFile = "whole-file"
    /// Every byte of its own revision; later revisions follow.
    case revision
    /// Some bytes are not covered although they should be.
    case partial
}
