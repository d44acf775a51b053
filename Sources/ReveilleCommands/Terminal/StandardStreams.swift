internal import Glibc

/// The three descriptors that every process expects to have.
enum StandardStreams {
    /// Puts something into each place that is empty, so that no file of ours gets its number.
    static func occupy() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is the one in hand. What is printed there still fails, and is told; remarks are not missed.
            _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}

extension CommandLine {
    /// The arguments of this process as they are, without the program's own name.
    static var octets: [[UInt8]] {
        (1..<max(1, Int(argc))).compactMap { index in
            unsafeArgv[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }
}
