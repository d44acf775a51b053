extension Duration {
    /// The duration in nanoseconds, cut towards zero and held within what 64 bits can count (292 years).
    package var saturatedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carried) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carried ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in milliseconds, cut towards zero and held within what 64 bits can count.
    package var saturatedMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, carried) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflow || carried ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in seconds as a floating-point number, for display and metrics.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
