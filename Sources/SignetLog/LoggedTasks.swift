#if Log
    public import Logging
    import SignetKit

    extension Logger {
        /// Runs tasks and logs their steps: their beginning, end and notices at the level `debug`, what
        /// was read at the level `trace`. Never contents or secrets.
        ///
        /// - Parameter name: name of the work in the log.
        /// - Throws: what `body` throws.
        public func following<Output: Sendable>(
            _ name: String, _ body: @Sendable () async throws -> Output
        ) async throws -> Output {
            debug("\(name) begins")
            let began = ContinuousClock.now
            do {
                let output = try await SignetThreads.following(log, body)
                debug("\(name) ends", metadata: ["duration": "\(began.duration(to: .now))"])
                return output
            } catch {
                let code = (error as? SignetError)?.code.rawValue ?? "\(type(of: error))"
                debug("\(name) fails", metadata: ["code": "\(code)"])
                throw error
            }
        }

        private func log(_ step: TaskProgress) {
            switch step {
            case .read(let count, let total):
                trace("read", metadata: ["bytes": "\(count)/\(total)"])
            case .notice(let sentence):
                debug(
                    "notice \(sentence.code.rawValue)",
                    metadata: ["facts": .array(sentence.facts.map { "\($0)" })])
            case .finished(let count, let total):
                debug("finished", metadata: ["files": "\(count)/\(total)"])
            }
        }
    }
#endif
