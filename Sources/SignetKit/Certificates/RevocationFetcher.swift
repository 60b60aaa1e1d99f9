package import CryptoBridge
import NetworkBridge
import Synchronization
package import TrustKit

/// Fetches OCSP responses and revocation lists from where certificates say that they are. Each
/// address is asked the same question once, however many files and signatures lead to it.
///
/// libcurl is loaded with the first question.
public final class RevocationFetcher: Sendable {
    private enum Limits {
        /// Questions that one file may cause: its maker may have chosen the certificates.
        static let questionCount = 32
        /// How long one file may take in all.
        static let fileTime: Duration = .seconds(60)
        /// How long all files together may wait for servers that are slow or do not answer.
        static let runTime: Duration = .seconds(180)
        /// A server that takes no longer than this is not slow.
        static let patience: Duration = .seconds(5)
        static let responseTime: Duration = .seconds(10)
        static let listTime: Duration = .seconds(30)
        /// What is kept for later files; with more, everything is forgotten.
        static let keptByteCount = 128 * 1024 * 1024
        /// An address in a remark is cut after so many characters.
        static let shownAddressLength = 200
    }

    private typealias Answer = Result<RevocationEvidence, RevocationSourceFailure>

    private struct Question: Hashable {
        let address: String
        /// What is posted; nil for a list.
        let request: OCSPRequest?

        static func == (one: Self, other: Self) -> Bool {
            one.address == other.address && one.request?.question == other.request?.question
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(address)
            hasher.combine(request?.question)
        }
    }

    private struct State {
        var client: HTTPClient?
        var answers: [Question: Answer] = [:]
        /// Addresses at which nothing answers at all, and why.
        var dead: [String: RevocationSourceFailure] = [:]
        var keptByteCount = 0
        var questionsLeft = Limits.questionCount
        var deadline = ContinuousClock.now + Limits.fileTime
        var patienceLeft = Limits.runTime
    }

    private let state = Mutex(State())

    public init() {}

    /// Grants another file its share of questions and time.
    func beginFile() {
        state.withLock {
            $0.questionsLeft = Limits.questionCount
            $0.deadline = .now + Limits.fileTime
        }
    }

    private static func answer(_ question: Question, _ state: inout State) -> Answer {
        if let known = state.answers[question] { return known }
        if let failure = state.dead[question.address] { return .failure(failure) }
        let left = ContinuousClock.now.duration(to: state.deadline)
        guard state.questionsLeft > 0, left > .zero else {
            return .failure(
                RevocationSourceFailure("not asked: the file caused too many questions already"))
        }
        guard state.patienceLeft > .zero else {
            return .failure(
                RevocationSourceFailure(
                    "not asked: servers kept this run waiting for too long already"))
        }
        state.questionsLeft -= 1
        let began = ContinuousClock.now
        defer {
            let wasted = began.duration(to: .now) - Limits.patience
            if wasted > .zero { state.patienceLeft -= wasted }
        }
        let answer: Answer
        do {
            let body = try fetch(question, within: min(left, state.patienceLeft), &state)
            state.keptByteCount += body.count
            if state.keptByteCount > Limits.keptByteCount {
                state.answers = [:]
                state.keptByteCount = body.count
            }
            answer = read(body, of: question)
        } catch let error as HTTPError {
            let failure = RevocationSourceFailure(error.detail)
            // Who is silent once is not waited for again.
            if !error.wasSent || error.code == .timedOut { state.dead[question.address] = failure }
            answer = .failure(failure)
        } catch {
            answer = .failure(
                error as? RevocationSourceFailure ?? RevocationSourceFailure("\(error)"))
        }
        state.answers[question] = answer
        return answer
    }

    private static func fetch(
        _ question: Question, within left: Duration, _ state: inout State
    ) throws -> [UInt8] {
        let address = try HTTPAddress(question.address)
        let client = try state.client ?? HTTPClient()
        state.client = client
        let isList = question.request == nil
        var request = HTTPRequest(
            address, body: question.request?.encoded,
            timeLimit: min(left, isList ? Limits.listTime : Limits.responseTime),
            answerByteLimit: isList ? RevocationList.byteLimit : OCSPResponse.byteLimit)
        // Whoever made the certificate must not send this program where they cannot go.
        request.mayLeadInside = false
        if !isList {
            // RFC 6960 §A.1.
            request.headers = [
                ("Content-Type", "application/ocsp-request"),
                ("Accept", "application/ocsp-response"),
            ]
        }
        let response = try client.send(request)
        guard response.status == 200 else {
            throw RevocationSourceFailure("the server answers with status \(response.status)")
        }
        return response.body
    }

    private static func read(_ body: [UInt8], of question: Question) -> Answer {
        guard let request = question.request else {
            guard let list = RevocationList(body) else {
                return .failure(
                    RevocationSourceFailure("the answer is no revocation list"))
            }
            return .success(RevocationEvidence(lists: [list], responses: []))
        }
        guard let response = OCSPResponse(body) else {
            return .failure(RevocationSourceFailure("the answer is no OCSP response"))
        }
        guard request.isAnswered(by: response) else {
            return .failure(
                RevocationSourceFailure("the answer has the nonce of another question"))
        }
        return .success(RevocationEvidence(lists: [], responses: [response]))
    }
}

extension RevocationFetcher: RevocationSource {
    package func ask(
        _ place: RevocationPlace, about certificate: Certificate, issuer: Certificate
    ) -> Result<RevocationEvidence, RevocationSourceFailure> {
        let question: Question
        switch place {
        case .list(let address): question = Question(address: address, request: nil)
        case .responder(let address):
            do {
                question = Question(
                    address: address,
                    request: try OCSPRequest(about: certificate, issuer: issuer))
            } catch {
                return .failure(RevocationSourceFailure(error.description))
            }
        }
        return state.withLock { Self.answer(question, &$0) }
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
