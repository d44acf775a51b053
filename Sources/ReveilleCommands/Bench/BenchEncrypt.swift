internal import Glibc
internal import ReveilleBytes
internal import ReveilleCrypto
internal import ReveilleRuntime
internal import ReveilleWebPush

/// Measures the shipped encryption of messages for push services, on one thread.
enum BenchEncrypt {
    /// The most messages of one measurement.
    static let maximumCount = 100_000_000
    /// What a wake says, in octets.
    private static let textBytes = 190

    /// Encrypts so many messages for one subscription, each padded as a wake's is.
    ///
    /// - Throws: when a message has another length than it must have; never otherwise.
    static func run(count: Int) throws -> BenchEncryptReport {
        let receiver = P256PrivateKey.generate().publicKey.x963
        let secret = SecureRandom.bytes(SubscriptionKeys.authenticationSecretBytes)
        let text = [UInt8](repeating: UInt8(ascii: "x"), count: textBytes)
        let expected = MessageEncryption.messageBytes(text: textBytes, padded: MessageEncryption.wakeBytes)
        var message = [UInt8](repeating: 0, count: expected)
        let encryption = MessageEncryption()
        let (started, startedOnThread) = (SystemMonotonicClock().now(), threadTime())
        for _ in 0..<count {
            let written = try text.withUnsafeBytes { text in
                try receiver.withUnsafeBytes { receiver in
                    try secret.withUnsafeBytes { secret in
                        try message.withUnsafeMutableBytes { message in
                            try encryption.encrypt(
                                text, publicKey: receiver, secret: secret, paddedBytes: MessageEncryption.wakeBytes,
                                into: message)
                        }
                    }
                }
            }
            guard written == expected else { throw CommandFailure("a message has \(written) octets, not \(expected)") }
        }
        return BenchEncryptReport(
            messages: count, octets: expected, wall: SystemMonotonicClock().now().duration(since: started),
            processor: threadTime() - startedOnThread)
    }

    /// How long this thread has had a core.
    private static func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
