import Glibc

/// Why a server cannot listen.
package struct ListeningError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: Sendable {
        /// The address cannot be read or does not exist.
        case badAddress
        /// Another program has the port, or it may not be taken.
        case addressRefused
        /// The operating system gave no socket, thread or signal.
        case system
    }

    package let code: Code
    /// What failed, in lower case without a full stop.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    static func failing(_ what: String, _ number: Int32) -> ListeningError {
        let code: Code =
            switch number {
            case EADDRINUSE, EACCES, EADDRNOTAVAIL: .addressRefused
            default: .system
            }
        return ListeningError(code, "\(what): \(unsafe String(cString: strerror(number)))")
    }

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    package var description: String { detail }
}
