package import Foundation
import Synchronization

/// Collects the JSON output of the program during the tests. Scripts/test then validates it against
/// the schemas.
package enum OutputLog {
    private static let lock = Mutex(())

    /// Appends output to the file that `SIGNET_JSON_LOG` names.
    package static func note(_ output: Data) throws {
        guard let path = ProcessInfo.processInfo.environment["SIGNET_JSON_LOG"],
            output.first == UInt8(ascii: "{")
        else { return }
        try lock.withLock { _ in
            // Several processes append to it.
            let number = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
            let file = FileHandle(fileDescriptor: number, closeOnDealloc: true)
            try file.write(contentsOf: output)
        }
    }
}
