package import Base
internal import CMSKit
internal import CryptoBridge
internal import TextBridge

/// The reason why a container cannot be read.
package typealias ContainerError = CodedError<ContainerErrorCode>

/// The codes of ``ContainerError``.
package enum ContainerErrorCode: Sendable {
    /// The file is not a ZIP archive.
    case notZIP
    /// The archive is damaged, or programs may read it in different ways.
    case malformed
    /// A size exceeds ``ContainerLimits``.
    case limitExceeded
    /// The archive uses a feature that containers do not need, such as encryption.
    case unsupported
}

extension Error {
    /// Whether it says nothing about the content: reading failed, or a library is missing.
    package var isOfMachine: Bool {
        self is SourceError || (self as? XMLError)?.code == .parserMissing
            || (self as? CryptoError)?.code == .internalFailure
    }

    /// Whether the content exceeds a limit or is not supported, so that it may be valid.
    package var isOfSupport: Bool {
        switch self {
        case let error as ContainerError: [.limitExceeded, .unsupported].contains(error.code)
        case let error as XMLError:
            [.limitExceeded, .unsupported].contains(error.code)
        case let error as CMSError:
            [.limitExceeded, .unsupportedAlgorithm].contains(error.code)
        default: false
        }
    }
}
