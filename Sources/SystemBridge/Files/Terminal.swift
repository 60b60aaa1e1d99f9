import Glibc
internal import Synchronization

/// The terminal the process runs in, and its standard streams.
package enum Terminal {
    package enum Stream: Int32, Sendable {
        case input = 0
        case output = 1
        case error = 2
    }

    package static func isInteractive(_ stream: Stream) -> Bool {
        isatty(stream == .output ? StandardOutput.number : stream.rawValue) == 1
    }

    /// The width of the terminal in columns, 80 when unknown.
    package static var width: Int {
        var size = winsize()
        for stream in [STDERR_FILENO, StandardOutput.number]
        where unsafe ioctl(stream, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
            return Int(size.ws_col)
        }
        return 80
    }

    package static func writeError(_ text: String) {
        // A failure cannot be reported anywhere.
        _ = FileDescriptor(STDERR_FILENO, borrowed: true).write(Array(text.utf8).span)
    }

    /// Writes text to standard output.
    ///
    /// - Throws: ``FileError``, for example if a disk is full or a pipe has no reader.
    package static func writeOutput(_ text: String) throws(FileError) {
        let output = FileDescriptor(StandardOutput.number, borrowed: true)
        try output.write(Array(text.utf8).span, to: "-")
    }

    /// Prompts for a secret on the controlling terminal without echo.
    ///
    /// The echo is always restored, also if a signal ends the process.
    ///
    /// - Returns: the line without its end; `nil` without a terminal or at end of input. The caller
    ///   wipes the bytes.
    package static func readSecret(prompt: String) -> [UInt8]? {
        // One prompt at a time, so that an answer is not used for another prompt.
        question.withLock { _ in askSecret(prompt) }
    }

    private static let question = Mutex(())

    private static func askSecret(_ prompt: String) -> [UInt8]? {
        guard let terminal = FileDescriptor.open("/dev/tty", flags: O_RDWR | O_NOCTTY) else {
            return nil
        }
        var settings = termios()
        guard unsafe tcgetattr(terminal.number, &settings) == 0 else { return nil }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ICANON | ISIG)
        SignalCleanup.register(terminal: terminal.number, settings: settings, meanwhile: silent)
        _ = unsafe tcsetattr(terminal.number, TCSAFLUSH, &silent)
        defer {
            _ = unsafe tcsetattr(terminal.number, TCSAFLUSH, &settings)
            SignalCleanup.forgetTerminal()
            _ = terminal.write(Array("\n".utf8).span)
        }
        return line(from: terminal, prompt)
    }

    private static func line(from terminal: FileDescriptor, _ prompt: String) -> [UInt8]? {
        _ = terminal.write(Array(prompt.utf8).span)
        var line: [UInt8] = []
        // Reserved, so that no copies of the secret are left in memory.
        line.reserveCapacity(secretByteLimit)
        while line.count < secretByteLimit {
            var byte: UInt8 = 0
            let count = unsafe withUnsafeMutableBytes(of: &byte) { buffer in
                unsafe read(terminal.number, buffer.baseAddress, 1)
            }
            if count < 0, errno == EINTR {
                // The prompt is displayed again after a stop.
                _ = terminal.write(Array(("\r" + prompt).utf8).span)
                continue
            }
            guard count > 0 else { return line.isEmpty ? nil : line }
            if byte == 10 { break }
            line.append(byte)
        }
        return line
    }

    package static var canAsk: Bool {
        FileDescriptor.open("/dev/tty", flags: O_RDWR | O_NOCTTY) != nil
    }

    /// Prompts on the controlling terminal.
    ///
    /// - Returns: The line without its end; `nil` without a terminal or at end of input.
    package static func readLine(prompt: String) -> String? {
        question.withLock { _ in
            FileDescriptor.open("/dev/tty", flags: O_RDWR | O_NOCTTY)
                .flatMap { line(from: $0, prompt) }
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The longest line in the terminal's canonical mode.
    private static let secretByteLimit = 4096
}
