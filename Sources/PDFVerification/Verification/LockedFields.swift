import Base
import PDFSigning

/// Changes that violate FieldMDP locks. Call once per signature, oldest first: locks accumulate.
struct LockedFields {
    typealias Lock = (holder: ExactText, lock: FieldLock)

    private var fields: ChangedFields
    /// Creates the problem for a field and the signature that locks it.
    private let problem: (_ field: ExactText, _ holder: ExactText) -> VerificationProblem
    private var found: [VerificationProblem] = []
    private var checkedCount = 0

    init(
        _ names: Set<ExactText>,
        saying problem: @escaping (_ field: ExactText, _ holder: ExactText) -> VerificationProblem
    ) {
        fields = ChangedFields(names)
        self.problem = problem
    }

    /// - Parameter locks: the locks of the signatures so far, in the order of the calls.
    mutating func breaches(of locks: [Lock], _ budget: ValueBudget) -> [VerificationProblem] {
        while checkedCount < locks.count {
            let (holder, lock) = locks[checkedCount]
            checkedCount += 1
            do {
                guard let field = try fields.first(coveredBy: lock, budget) else { continue }
                found.append(problem(field, holder))
            } catch {
                checkedCount = locks.count
                found.append(Self.tooMuch)
            }
        }
        return found
    }

    static let tooMuch = VerificationProblem.doubt(
        .tooMuchToCompare,
        "not all field locks were checked (limit reached)")
}
