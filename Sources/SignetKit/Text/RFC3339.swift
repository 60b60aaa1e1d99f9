import ByteKit
import FileBridge

/// Times as programs write them: `2026-11-21T10:00:00Z`.
public enum RFC3339 {
    /// Seconds since 1970; nil when `text` is no such time.
    public static func seconds(_ text: String) -> Int? {
        CalendarTime(rfc3339: text)?.secondsSinceEpoch
    }

    /// The system's time.
    public static var now: String { SystemClock.now().rfc3339 }
}
