public import Base
package import CryptoBridge
import NetworkBridge
import Synchronization
import SystemBridge
package import TrustKit

/// Fetches OCSP responses, CRLs and issuer certificates from the URLs in certificates. Each request
/// is sent once, however many files and signatures need it.
///
/// libcurl is loaded with the first request.
public final class RevocationFetcher: Sendable {
    /// Which requests may go to this computer and the local network.
    public enum LocalAddresses: Sendable {
        case refused
        /// Only revocation requests: their certificates have a trust anchor.
        case ofTrustedPaths
        case permitted
    }

    private enum Limits {
        static let simultaneousCount = 8
        /// Total time limit of a run for slow or unresponsive servers.
        static let runTime: Duration = .seconds(180)
        /// A server that responds within this time is not slow.
        static let patience: Duration = .seconds(5)
        static let responseTime: Duration = .seconds(10)
        static let listTime: Duration = .seconds(30)
        /// Maximum size in bytes of the responses kept for later files. When it is exceeded, all
        /// are discarded.
        static let keptByteCount = 128 * 1024 * 1024
        /// Maximum age of cached issuer certificates, in seconds (7 days).
        static let certificateAge = 7 * 86_400
        static let certificateCount = 64
        /// Maximum length of a URL in a note, in characters; longer URLs are truncated.
        static let shownAddressLength = 200
    }

    private typealias Failure = RevocationSourceFailure
    private typealias Answer = Result<Content, Failure>

    private enum Content {
        case evidence(RevocationEvidence)
        case certificates([Certificate])
    }

    private struct Question: Hashable {
        let kind: EvidenceRequest.Kind
        let address: String
        /// The OCSP request, and its certificate with the issuer; nil for other requests.
        var request: OCSPRequest?
        var subject: (certificate: Certificate, issuer: Certificate)?
        /// Whether the server may be on this computer or the local network.
        let permitsLocal: Bool

        /// The cache key: everything that the response depends on.
        var name: [UInt8] {
            Array("\(kind.rawValue)\0\(address)\0".utf8) + (request?.question ?? [])
        }

        static func == (one: Self, other: Self) -> Bool {
            one.address == other.address && one.kind == other.kind
                && one.permitsLocal == other.permitsLocal
                && one.request?.question == other.request?.question
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(address)
            hasher.combine(kind)
            hasher.combine(request?.question)
        }

        /// Whether a response contains a revocation of the requested certificate.
        func isAnsweredByRevocation(_ response: OCSPResponse) -> Bool {
            guard let subject else { return false }
            return response.answers(about: subject.certificate, issuer: subject.issuer)
                .contains { $0.statement.revokedAt != nil }
        }

        var timeLimit: Duration { kind == .response ? Limits.responseTime : Limits.listTime }

        var byteLimit: Int {
            switch kind {
            case .list: RevocationList.byteLimit
            case .response: OCSPResponse.byteLimit
            case .issuers: Certificate.byteLimit * Limits.certificateCount
            }
        }
    }

    /// The response to one request. Threads with the same request wait for it.
    private final class Slot: Sendable {
        struct State {
            var answer: Answer?
            /// Whether the response is from an earlier run.
            var isKept = false
        }

        /// The use of a response from an earlier run.
        enum Use {
            case taken
            /// Used only if no newer response can be fetched.
            case fallenBackOn
            case ignored
        }

        let use: Use
        let state = Mutex(State())

        init(_ use: Use = .taken) { self.use = use }
    }

    /// Data shared by all files of a run.
    private struct Common {
        var client: HTTPClient?
        var slots: [Question: Slot] = [:]
        /// URLs that failed to respond, with the reasons.
        var dead: [String: Failure] = [:]
        var keptByteCount = 0
        var patienceLeft = Limits.runTime
    }

    private final class Shared: Sendable {
        let common = Mutex(Common())
        let cache: EvidenceCache?
        let isOffline: Bool
        let localAddresses: LocalAddresses
        let transport: (any HTTPTransport)?

        init(
            _ cache: EvidenceCache?, isOffline: Bool, _ localAddresses: LocalAddresses,
            _ transport: (any HTTPTransport)? = nil
        ) {
            self.cache = cache
            self.isOffline = isOffline
            self.localAddresses = localAddresses
            self.transport = transport
        }
    }

    private let shared: Shared
    private let budget = Mutex(RequestBudget())

    /// - Parameters:
    ///   - localAddresses: which requests may go to this computer and the local network.
    ///   - transport: sends the requests; nil is libcurl.
    public init(
        localAddresses: LocalAddresses = .refused, transport: (any HTTPTransport)? = nil
    ) {
        shared = Shared(nil, isOffline: false, localAddresses, transport)
    }

    /// - Parameters:
    ///   - cache: the cache of earlier runs, which is read and updated.
    ///   - isOffline: whether no requests are sent.
    ///   - localAddresses: which requests may go to this computer and the local network.
    init(cache: EvidenceCache?, isOffline: Bool, localAddresses: LocalAddresses) {
        shared = Shared(cache, isOffline: isOffline, localAddresses)
    }

    private init(_ shared: Shared) { self.shared = shared }

    /// A fetcher for another file, possibly in parallel: with separate limits and shared responses.
    func forFile() -> RevocationFetcher { RevocationFetcher(shared) }

    /// Resets the limits for another file.
    func beginFile() { budget.withLock { $0 = RequestBudget() } }

    /// The requests sent since ``beginFile()``.
    var requests: [EvidenceRequest] { budget.withLock { $0.log } }

    // MARK: Requests

    /// The client and time limit for a request, or the reason for not sending it.
    private enum Admission {
        case refused(Failure)
        case send(HTTPClient, within: Duration)
    }

    private func admit(_ question: Question) -> Admission {
        guard !shared.isOffline else {
            return .refused(
                Failure("not fetched, and the cache contains no valid data"))
        }
        guard let left = budget.withLock({ $0.spend(on: question.kind) }) else {
            return .refused(
                Failure("not fetched: too many requests for this file", isLimit: true))
        }
        return shared.common.withLock { common in
            if let failure = common.dead[question.address] { return .refused(failure) }
            guard common.patienceLeft > .zero else {
                return .refused(
                    Failure(
                        "not fetched: the time limit for all servers is reached",
                        isLimit: true))
            }
            do throws(HTTPError) {
                let client: HTTPClient
                if let known = common.client {
                    client = known
                } else {
                    client = try HTTPClient(transport: shared.transport)
                }
                common.client = client
                return .send(client, within: min(left, common.patienceLeft))
            } catch {
                return .refused(Failure(error.detail))
            }
        }
    }

    /// Returns the response from this run, the cache or the server.
    ///
    /// - Parameter newerThan: cached data issued at or before this time is not sufficient.
    private func answer(_ question: Question, newerThan: CalendarTime? = nil) -> Answer {
        let slot = shared.common.withLock { common in
            let slot = common.slots[question] ?? Slot()
            common.slots[question] = slot
            return slot
        }
        return slot.state.withLock { state in
            if let known = state.answer { return known }
            let kept = slot.use == .ignored ? nil : kept(question)
            if let kept, slot.use == .taken, newerThan.map({ kept.entry.said > $0 }) ?? true {
                state = Slot.State(answer: .success(kept.content), isKept: true)
                return .success(kept.content)
            }
            switch admit(question) {
            case .refused(let failure):
                // A refusal is not stored, since another file may have requests left.
                guard shared.isOffline, let kept else { return .failure(failure) }
                state = Slot.State(answer: .success(kept.content), isKept: true)
                return .success(kept.content)
            case .send(let client, let limit):
                var answer = ask(question, by: client, within: limit, kept)
                // Cached data that is still valid is used if there is nothing newer.
                if case .failure = answer, let kept { answer = .success(kept.content) }
                // A cancelled request says nothing to other files.
                if !WorkRun.isCancelled { state.answer = answer }
                return answer
            }
        }
    }

    private typealias Kept = (entry: EvidenceCache.Entry, content: Content)

    /// A response from an earlier run that is still valid.
    private func kept(_ question: Question) -> Kept? {
        guard let entry = shared.cache?.entry(question.name, at: question.address),
            entry.until > SystemClock.now(),
            case .success(let content) = Self.read(entry.body, of: question, isKept: true)
        else { return nil }
        return (entry, content)
    }

    private func keep(_ response: HTTPResponse, content: Content, for question: Question) {
        guard let cache = shared.cache, !response.keeping.forbidsKeeping,
            let span = Self.span(of: content, question, response.keeping)
        else { return }
        cache.keep(
            EvidenceCache.Entry(
                address: question.address, keeping: response.keeping, said: span.said,
                until: span.until, body: response.body), for: question.name)
    }

    /// When a response was issued and until when it is valid; nil if unknown.
    private static func span(
        of content: Content, _ question: Question, _ keeping: HTTPKeeping
    ) -> (said: CalendarTime, until: CalendarTime)? {
        switch content {
        case .certificates:
            let now = SystemClock.now()
            let age = min(keeping.maximumAge ?? Limits.certificateAge, Limits.certificateAge)
            return (now, now.adding(seconds: age))
        case .evidence(let evidence):
            if let list = evidence.lists.first {
                return list.nextUpdate.map { (list.thisUpdate, $0) }
            }
            guard let subject = question.subject else { return nil }
            let said = evidence.responses.flatMap {
                $0.answers(about: subject.certificate, issuer: subject.issuer).map(\.statement)
            }
            guard let first = said.map(\.thisUpdate).min() else { return nil }
            let ends = said.compactMap(\.nextUpdate)
            return ends.count == said.count ? ends.min().map { (first, $0) } : nil
        }
    }

    private func ask(
        _ question: Question, by client: HTTPClient, within limit: Duration, _ kept: Kept?
    ) -> Answer {
        let began = ContinuousClock.now
        var record = EvidenceRequest(
            url: HTTPAddress.withoutLogin(question.address), kind: question.kind.rawValue)
        let answer: Answer
        do {
            let response = try Self.send(
                question, by: client, within: limit, kept?.entry.keeping.conditions ?? [])
            record.status = response.status
            record.bytes = response.body.count
            if response.status == 304, let kept {
                answer = .success(kept.content)
            } else if response.status == 200 {
                answer = Self.read(response.body, of: question)
                if case .success(let content) = answer {
                    keep(response, content: content, for: question)
                }
            } else {
                throw Failure("the server responded with HTTP status \(response.status)")
            }
        } catch let error as HTTPError {
            let failure = Failure(error.detail)
            // A server that caused a full timeout is not contacted again.
            let isSilent = error.code == .timedOut
            let isAnswer = error.code != .localAddress && error.code != .cancelled
            if isAnswer, isSilent ? limit >= question.timeLimit : !error.wasSent {
                shared.common.withLock { $0.dead[question.address] = failure }
            }
            answer = .failure(failure)
        } catch {
            answer = .failure(error as? Failure ?? Failure("\(error)"))
        }
        let took = began.duration(to: .now)
        record.ms = Int(took / .milliseconds(1))
        account(for: question.kind, record, took)
        return answer
    }

    private func account(
        for kind: EvidenceRequest.Kind, _ record: EvidenceRequest, _ took: Duration
    ) {
        budget.withLock { $0.account(for: kind, record, took) }
        shared.common.withLock { common in
            if took > Limits.patience { common.patienceLeft -= took - Limits.patience }
            common.keptByteCount += record.bytes
            if common.keptByteCount > Limits.keptByteCount {
                common.slots = [:]
                common.keptByteCount = record.bytes
            }
        }
    }

    private static func send(
        _ question: Question, by client: HTTPClient, within left: Duration,
        _ conditions: [(name: String, value: String)]
    ) throws -> HTTPResponse {
        var request = HTTPRequest(
            try HTTPAddress(question.address), body: question.request?.encoded,
            timeLimit: min(left, question.timeLimit), answerByteLimit: question.byteLimit)
        request.isPublic = !question.permitsLocal
        if question.kind == .response {
            // Header fields of an OCSP request (RFC 6960 §A.1).
            request.headers = [
                ("Content-Type", "application/ocsp-request"),
                ("Accept", "application/ocsp-response"),
            ]
        } else {
            request.headers = conditions
        }
        return try client.send(request)
    }

    // MARK: Responses

    /// - Parameter isKept: whether an earlier run fetched the response, which then has another
    ///   nonce.
    private static func read(
        _ body: [UInt8], of question: Question, isKept: Bool = false
    ) -> Answer {
        switch question.kind {
        case .list:
            guard let list = RevocationList(body) else {
                return .failure(Failure("the response is not a CRL"))
            }
            return .success(.evidence(RevocationEvidence(lists: [list], responses: [])))
        case .response:
            guard let response = OCSPResponse(body) else {
                return .failure(Failure("the response is not an OCSP response"))
            }
            // A response without the nonce may be old, but a revocation in it is valid.
            guard
                isKept || question.request?.isAnswered(by: response) == true
                    || question.isAnsweredByRevocation(response)
            else { return .failure(Failure("the OCSP response has a wrong nonce")) }
            return .success(.evidence(RevocationEvidence(lists: [], responses: [response])))
        case .issuers:
            // A certificate, or a certs-only message (RFC 5280 §4.2.2.1).
            guard let certificates = try? Certificate.readAll(body) else {
                return .failure(Failure("the response contains no certificate"))
            }
            return .success(.certificates(Array(certificates.prefix(Limits.certificateCount))))
        }
    }

    private func question(
        _ place: RevocationPlace, about certificate: Certificate, issuer: Certificate
    ) -> Result<Question, Failure> {
        let permitsLocal = shared.localAddresses != .refused
        switch place {
        case .list(let address):
            return .success(Question(kind: .list, address: address, permitsLocal: permitsLocal))
        case .responder(let address):
            do {
                return .success(
                    Question(
                        kind: .response, address: address,
                        request: try OCSPRequest(about: certificate, issuer: issuer),
                        subject: (certificate, issuer), permitsLocal: permitsLocal))
            } catch {
                return .failure(Failure(error.description))
            }
        }
    }
}

extension RevocationFetcher: RevocationSource {
    package func ask(
        _ place: RevocationPlace, about certificate: Certificate, issuer: Certificate
    ) -> Result<RevocationEvidence, RevocationSourceFailure> {
        question(place, about: certificate, issuer: issuer).flatMap { answer($0) }.map {
            if case .evidence(let evidence) = $0 { evidence } else { RevocationEvidence() }
        }
    }

    package func issuers(
        of certificate: Certificate, at address: String, below leaf: Certificate
    ) -> [Certificate] {
        issuers(
            of: certificate, at: address, permitsLocal: shared.localAddresses == .permitted)
    }

    func issuers(
        of certificate: Certificate, at address: String, permitsLocal: Bool
    ) -> [Certificate] {
        let question = Question(kind: .issuers, address: address, permitsLocal: permitsLocal)
        guard case .success(.certificates(let found)) = answer(question) else { return [] }
        // The issuer may have a new certificate or key: cached certificates that do not match are
        // fetched again.
        let now = SystemClock.now()
        guard isKept(question),
            !found.contains(where: { $0.notAfter > now && certificate.isSigned(by: $0) })
        else { return found }
        forget(question, isWrong: true)
        guard case .success(.certificates(let others)) = answer(question) else { return [] }
        return others
    }

    package func prepare(_ inquiries: [RevocationInquiry]) {
        var questions: [(question: Question, newerThan: CalendarTime?)] = []
        for inquiry in inquiries {
            guard let question = question(inquiry),
                !questions.contains(where: { $0.question == question })
            else { continue }
            questions.append((question, inquiry.newerThan))
        }
        let open = questions
        // Failed requests are repeated and reported when their result is needed.
        try? OrderedWork.run(count: open.count, jobs: Limits.simultaneousCount) { index in
            _ = self.answer(open[index].question, newerThan: open[index].newerThan)
        } consume: { _, _ in
        }
    }

    private func question(_ inquiry: RevocationInquiry) -> Question? {
        try? question(inquiry.place, about: inquiry.certificate, issuer: inquiry.issuer).get()
    }

    package func isKept(_ inquiry: RevocationInquiry) -> Bool {
        question(inquiry).map(isKept) ?? false
    }

    private func isKept(_ question: Question) -> Bool {
        let slot = shared.common.withLock { $0.slots[question] }
        return slot?.state.withLock { $0.isKept } ?? false
    }

    private func forget(_ question: Question, isWrong: Bool) {
        shared.common.withLock { $0.slots[question] = Slot(isWrong ? .ignored : .fallenBackOn) }
    }

    package func forget(_ inquiries: [RevocationInquiry], isWrong: Bool) {
        for question in inquiries.compactMap(question) { forget(question, isWrong: isWrong) }
    }

    package func name(of place: RevocationPlace) -> String {
        let (kind, address) =
            switch place {
            case .responder(let address): ("OCSP responder", address)
            case .list(let address): ("revocation list", address)
            }
        let shown = HTTPAddress.withoutLogin(String(address.prefix(Limits.shownAddressLength)))
        return "the \(kind) \(shown)"
    }
}
