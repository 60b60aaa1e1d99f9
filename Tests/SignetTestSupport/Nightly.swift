import Foundation

/// Number of random cases: a tenth in normal runs, all with `Scripts/test --nightly`.
package enum Nightly {
    package static let isOn = ProcessInfo.processInfo.environment["SIGNET_NIGHTLY"] != nil

    package static func count(_ all: Int) -> Int { isOn ? all : all / 10 }
}
