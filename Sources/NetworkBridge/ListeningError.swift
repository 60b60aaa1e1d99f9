package import Base
import Glibc

/// Why a server cannot listen.
package typealias ListeningError = CodedError<ListeningErrorCode>

/// The codes of ``ListeningError``.
package enum ListeningErrorCode: Sendable {
    /// The address cannot be read or does not exist.
    case badAddress
    /// Another program has the port, or it may not be taken.
    case addressRefused
    /// The operating system gave no socket, thread or signal.
    case system
}

extension ListeningError {
    static func failing(_ what: String, _ number: Int32) -> ListeningError {
        let code: Code =
            switch number {
            case EADDRINUSE, EACCES, EADDRNOTAVAIL: .addressRefused
            default: .system
            }
        return ListeningError(code, "\(what): \(unsafe String(cString: strerror(number)))")
    }
}
