package import Base
internal import CSystem
import Glibc
import Synchronization

/// The environment of the process.
package enum ProcessEnvironment {
    /// The bytes of a variable, `nil` when it is not set.
    package static func value(_ name: String) -> [UInt8]? {
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// The bytes of a variable that holds a secret, `nil` when it is not set. No program that is
    /// started from then on gets it.
    package static func secret(_ name: String) -> [UInt8]? {
        keepSecret(name)
        return value(name)
    }

    /// Keeps a variable from programs that are started from then on.
    package static func keepSecret(_ name: String) { _ = secrets.withLock { $0.insert(name) } }

    /// Variables that are known to hold secrets.
    static var secretNames: Set<String> { secrets.withLock { $0 } }
    private static let secrets = Mutex<Set<String>>([])

    /// The path in a variable; `nil` when it is not absolute: what is found must not depend on where
    /// a command is run (XDG Base Directory Specification).
    package static func absolutePath(_ name: String) -> String? {
        string(name).flatMap { FileSystem.isAbsolute($0) ? $0 : nil }
    }

    /// As ``absolutePath(_:)``, of a variable that says what code to load: nothing where the process
    /// has more rights than who started it.
    package static func trustedPath(_ name: String) -> String? {
        guard let text = unsafe CFile_environment(name) else { return nil }
        let path = unsafe String(systemPath: text)
        return FileSystem.isAbsolute(path) ? path : nil
    }

    /// Whether the superuser runs the process.
    package static var isSuperuser: Bool { geteuid() == 0 }

    /// The text of a variable, `nil` when it is not set or empty. As a path it leads back to the
    /// variable's bytes.
    package static func string(_ name: String) -> String? {
        guard let bytes = value(name), !bytes.isEmpty else { return nil }
        return SystemPath.text(bytes)
    }
}

extension ProcessEnvironment {
    /// Forgets variables with which a library would load foreign code or write secrets to a file:
    /// OpenSSL's configuration and modules, and the log of TLS keys.
    ///
    /// To be called while there is one thread.
    package static func forgetIntruders() {
        for name in [
            "OPENSSL_CONF", "OPENSSL_CONF_INCLUDE", "OPENSSL_MODULES", "OPENSSL_ENGINES",
            "SSLKEYLOGFILE", "CURL_SSL_BACKEND",
        ] where unsafe getenv(name) != nil { _ = unsafe unsetenv(name) }
    }
}

/// The clock of the machine.
package enum SystemClock {
    /// The present moment.
    package static func now() -> CalendarTime { CalendarTime(secondsSinceEpoch: time(nil)) }

    /// Returns when a moment has begun by the machine's clock.
    package static func wait(until moment: CalendarTime) {
        while true {
            let (time, nanoseconds) = precise()
            let left = moment.secondsSinceEpoch - time.secondsSinceEpoch
            guard left > 0 else { return }
            // In small parts: the clock may be set meanwhile.
            usleep(left > 1 ? 500_000 : UInt32(1_000_000 - nanoseconds / 1000))
        }
    }

    /// The present moment to the nanosecond.
    package static func precise() -> (time: CalendarTime, nanoseconds: Int) {
        var now = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return (Self.now(), 0) }
        return (CalendarTime(secondsSinceEpoch: now.tv_sec), now.tv_nsec)
    }
}
