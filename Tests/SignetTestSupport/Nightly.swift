import Foundation

/// How much chance is tried: a tenth by day, all of it in `Scripts/test --nightly`.
package enum Nightly {
    package static let isOn = ProcessInfo.processInfo.environment["SIGNET_NIGHTLY"] != nil

    package static func count(_ all: Int) -> Int { isOn ? all : all / 10 }
}
