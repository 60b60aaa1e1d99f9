package import ByteKit
import Glibc

/// The environment of the process.
package enum ProcessEnvironment {
    /// The bytes of a variable, `nil` when it is not set.
    package static func value(_ name: String) -> [UInt8]? {
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// The text of a variable, `nil` when it is not set or empty.
    package static func string(_ name: String) -> String? {
        guard let bytes = value(name), !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The clock of the machine.
package enum SystemClock {
    /// The present moment.
    package static func now() -> CalendarTime {
        CalendarTime(secondsSinceEpoch: time(nil))
    }

    /// The present moment to the nanosecond.
    package static func precise() -> (time: CalendarTime, nanoseconds: Int) {
        var now = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return (Self.now(), 0) }
        return (CalendarTime(secondsSinceEpoch: now.tv_sec), now.tv_nsec)
    }
}
