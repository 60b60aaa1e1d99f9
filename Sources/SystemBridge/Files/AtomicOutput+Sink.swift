import Base
import Glibc

extension AtomicOutput: RevocableSink {
    package func append(_ bytes: [UInt8]) throws { try write(bytes) }

    package func truncate(to count: Int) throws {
        guard ftruncate(descriptor.number, off_t(count)) == 0,
            lseek(descriptor.number, off_t(count), SEEK_SET) >= 0
        else { throw FileError.writing(path, errno: errno) }
    }
}
