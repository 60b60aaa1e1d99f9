#if NIO
    public import NIOCore
    public import SignetKit

    extension InputSource {
        /// The readable bytes of a buffer.
        ///
        /// - Parameter name: name in results and messages.
        public static func buffer(_ buffer: ByteBuffer, name: String = "document") -> InputSource {
            .bytes(Array(buffer.readableBytesView), name: name)
        }
    }

    extension OutputBytes {
        /// The complete output; empty before the task has finished, and after a failure.
        public var buffer: ByteBuffer { ByteBuffer(bytes: bytes) }
    }
#endif
