package import Base
internal import CSystemCalls
import Glibc
import Synchronization

package enum ProcessEnvironment {
    /// The bytes of a variable, `nil` when it is not set.
    package static func value(_ name: String) -> [UInt8]? {
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// The bytes of a secret variable, `nil` if it is not set. Later child processes do not inherit
    /// it.
    package static func secret(_ name: String) -> [UInt8]? {
        keepSecret(name)
        return value(name)
    }

    /// Withholds a variable from child processes started from now on.
    package static func keepSecret(_ name: String) { _ = secrets.withLock { $0.insert(name) } }

    static var secretNames: Set<String> { secrets.withLock { $0 } }
    private static let secrets = Mutex<Set<String>>([])

    /// The path in a variable; `nil` if it is not absolute: a relative one would depend on the
    /// current folder (XDG Base Directory Specification).
    package static func absolutePath(_ name: String) -> String? {
        string(name).flatMap { FileSystem.isAbsolute($0) ? $0 : nil }
    }

    /// The value of a variable that selects code to load, like ``absolutePath(_:)``; nil if the
    /// process has more rights than the user who started it.
    package static func trustedPath(_ name: String) -> String? {
        guard let text = unsafe CFile_environment(name) else { return nil }
        let path = unsafe String(systemPath: text)
        return FileSystem.isAbsolute(path) ? path : nil
    }

    package static var isSuperuser: Bool { geteuid() == 0 }

    /// The text of a variable, `nil` if it is not set or empty. Used as a path it converts back to
    /// the variable's bytes.
    package static func string(_ name: String) -> String? {
        guard let bytes = value(name), !bytes.isEmpty else { return nil }
        return SystemPath.text(bytes)
    }

    /// Removes variables that make libraries load code or write secrets to a file: OpenSSL's
    /// configuration and modules, and the TLS key log.
    ///
    /// Must be called while there is one thread.
    package static func forgetIntruders() {
        for name in [
            "OPENSSL_CONF", "OPENSSL_CONF_INCLUDE", "OPENSSL_MODULES", "OPENSSL_ENGINES",
            "SSLKEYLOGFILE", "CURL_SSL_BACKEND",
        ] where unsafe getenv(name) != nil { _ = unsafe unsetenv(name) }
    }
}

package enum SystemClock {
    package static func now() -> CalendarTime { CalendarTime(secondsSinceEpoch: time(nil)) }

    /// Returns when the system clock reaches a time.
    package static func wait(until moment: CalendarTime) {
        while true {
            let (time, nanoseconds) = precise()
            let left = moment.secondsSinceEpoch - time.secondsSinceEpoch
            guard left > 0 else { return }
            // Sleeps in short intervals, since the clock may be set.
            usleep(left > 1 ? 500_000 : UInt32(1_000_000 - nanoseconds / 1000))
        }
    }

    package static func precise() -> (time: CalendarTime, nanoseconds: Int) {
        var now = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return (Self.now(), 0) }
        return (CalendarTime(secondsSinceEpoch: now.tv_sec), now.tv_nsec)
    }
}
