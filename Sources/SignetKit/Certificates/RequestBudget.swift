/// Limits the requests for one file: its author may have chosen the certificates.
struct RequestBudget {
    private static let requestLimit = 32
    private static let time: Duration = .seconds(60)
    /// Separate limit for issuer requests: untrusted certificates cause them too, and they must not
    /// use up the limit for trusted certificates.
    private static let issuerRequestLimit = 16
    private static let issuerTime: Duration = .seconds(30)

    private var requestsLeft = requestLimit
    private var deadline = ContinuousClock.now + time
    private var issuerRequestsLeft = issuerRequestLimit
    private var issuerTimeLeft = issuerTime
    private(set) var log: [EvidenceRequest] = []

    /// Reserves one request.
    ///
    /// - Returns: its time limit; nil if no more requests are permitted.
    mutating func spend(on kind: EvidenceRequest.Kind) -> Duration? {
        if kind == .issuers {
            guard issuerRequestsLeft > 0, issuerTimeLeft > .zero else { return nil }
            issuerRequestsLeft -= 1
            return issuerTimeLeft
        }
        let left = ContinuousClock.now.duration(to: deadline)
        guard requestsLeft > 0, left > .zero else { return nil }
        requestsLeft -= 1
        return left
    }

    mutating func account(
        for kind: EvidenceRequest.Kind, _ record: EvidenceRequest, _ took: Duration
    ) {
        log.append(record)
        guard kind == .issuers else { return }
        issuerTimeLeft -= took
        deadline += took
    }
}
