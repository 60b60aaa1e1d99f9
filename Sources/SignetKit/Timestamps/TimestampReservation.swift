internal import Base

/// The reserved space for a timestamp. The token's length is unknown, and the space is part of the
/// signed bytes: if it is too small, signing is repeated with more.
struct TimestampReservation {
    private let authorities: TimestampAuthorities?
    private var round = 1
    private(set) var byteCount: Int
    /// A note for each repeated attempt.
    private(set) var notes: [String] = []

    /// - Parameters:
    ///   - authorities: nil reserves no space.
    ///   - expected: expected length of the token in bytes; nil reserves the default.
    init(for authorities: TimestampAuthorities?, expecting expected: Int? = nil) {
        self.authorities = authorities
        byteCount = 0
        guard let (longest, kept) = authorities?.knownLengths else { return }
        // Tokens of one TSA differ only by some bytes.
        let near = max(expected ?? kept ?? 0, longest)
        byteCount = expected ?? kept == nil ? Self.ample(longest) : near + near / 10
    }

    private static func ample(_ longest: Int) -> Int {
        max(TimestampAuthorities.usualTokenByteCount, longest + longest / 2)
    }

    /// Increases the space for the next attempt.
    ///
    /// - Throws: ``SignetError`` after the last attempt, and `excess` if there is no timestamp.
    mutating func widen(after excess: ReservationExceeded) throws {
        guard let authorities else { throw excess }
        guard round < TimestampAuthorities.roundLimit else {
            throw SignetError(
                .serviceUnavailable,
                "the timestamps of the TSA become longer each time (\(excess.detail))")
        }
        round += 1
        byteCount = Self.ample(authorities.knownLengths.longest)
        notes.append(
            "the timestamp was larger than the reserved space (\(excess.detail)): signed "
                + "and timestamped again, which the TSA may charge twice")
    }
}
