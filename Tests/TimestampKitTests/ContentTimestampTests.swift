import Base
import CryptoBridge
import SignetTestSupport
import Testing
import TimestampKit

/// ETSI EN 319 122-1 §5.2.8.
@Suite struct ContentTimestampTests {
    @Test func doubtsWrongAndUnreadableTimestamps() throws {
        let fixture = try TimestampFixture()
        let token = try fixture.token().encoded
        func problems(
            _ values: [[UInt8]], of content: [UInt8], signed: CalendarTime? = nil
        ) throws -> [VerificationProblem] {
            try fixture.verifier().contentTimestamps(values, before: signed) {
                try $0.hash(content)
            }.problems
        }
        #expect(try problems([token], of: fixture.data).isEmpty)
        let wrong = try problems([token], of: [1, 2, 3])
        #expect(wrong.map(\.code) == [.timestampInvalid] && wrong[0].verdict == .indeterminate)
        let unread = try problems([[0x30, 0]], of: fixture.data)
        #expect(unread.map(\.code) == [.timestampInvalid] && unread[0].verdict == .indeterminate)
        let late = try problems(
            [token], of: fixture.data, signed: fixture.time.adding(seconds: -60))
        #expect(late.map(\.code) == [.timestampOrder])
    }
}
