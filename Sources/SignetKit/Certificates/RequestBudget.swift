/// Counts the requests that one file causes: its maker may have chosen the certificates.
struct RequestBudget {
    private static let requestLimit = 32
    private static let time: Duration = .seconds(60)
    /// Requests for issuers besides: strangers' certificates lead to them as well, and must not use
    /// up those about certificates that are believed.
    private static let issuerRequestLimit = 16
    private static let issuerTime: Duration = .seconds(30)

    private var requestsLeft = requestLimit
    private var deadline = ContinuousClock.now + time
    private var issuerRequestsLeft = issuerRequestLimit
    private var issuerTimeLeft = issuerTime
    private(set) var log: [EvidenceRequest] = []

    /// Takes one question.
    ///
    /// - Returns: how long it may take; nil where no more may be asked.
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

    /// Takes note of a question that was asked.
    mutating func account(
        for kind: EvidenceRequest.Kind, _ record: EvidenceRequest, _ took: Duration
    ) {
        log.append(record)
        guard kind == .issuers else { return }
        issuerTimeLeft -= took
        deadline += took
    }
}
