/// Finds pages (ISO 32000-2 §7.7.3).
///
/// Uses `Count` to skip subtrees as long as the counts it reads agree. Otherwise traverses the
/// whole tree, once.
final class PageTree {
    private unowned let document: PDFDocument
    private let root: ObjectID
    private let pageLimit: Int
    /// All pages, after a traversal.
    private var pages: [Listed]?
    /// The parent of each intermediate node, after a traversal; the root has none.
    private var listers: [ObjectID: ObjectID] = [:]
    /// The first index, from 0, at which viewers may show different pages; `nil` if they agree on
    /// all.
    private var firstDisputed: Int?

    private struct Listed {
        let id: ObjectID
        let lister: ObjectID
    }

    /// The page returned last, because it is often requested again.
    fileprivate var last: (index: Int, page: PDFPage)?

    /// Nodes whose counts agree with those of their kids.
    private var agreeing: Set<ObjectID> = []

    /// Maximum number of kids of a node whose counts are checked; checking more takes too long.
    private static let checkedKidCount = 256

    init(_ document: PDFDocument, pageLimit: Int = PDFLimits.pageCount) throws(PDFError) {
        self.document = document
        self.pageLimit = pageLimit
        let id = try document.catalogID
        guard case .reference(let root)? = try document.catalog()["Pages"] else {
            throw PDFError(
                .malformedPageTree, "the catalog does not refer to a page tree", object: id)
        }
        self.root = root
    }

    func pageCount() throws(PDFError) -> Int {
        // If a traversal finds no page but /Count is positive, the pages are lost: the document is
        // not empty.
        if let pages, !pages.isEmpty { return pages.count }
        let node = try self.node(root)
        if let count = node.count, let kids = node.kids, try agrees(kids, count: count) {
            return count
        }
        return try walkedPages().count
    }

    func lostPageCount() throws(PDFError) -> Int? {
        guard try walkedPages().isEmpty, let count = try node(root).count, count > 0 else {
            return nil
        }
        return count
    }

    /// A page by its index from 0, and the nodes on its path from parent to root.
    func page(at index: Int) throws(PDFError) -> (id: ObjectID, path: [ObjectID]) {
        guard index >= 0 else { throw noSuchPage(index) }
        if pages == nil, let found = try skipping(to: index) { return found }
        let pages = try walkedPages()
        guard index < pages.count else { throw noSuchPage(index) }
        var path = [pages[index].lister]
        while let next = listers[path[path.count - 1]], path.count <= PDFLimits.pageTreeDepth {
            path.append(next)
        }
        return (pages[index].id, path)
    }

    /// The first index, from 0, at which viewers may show different pages; `nil` if they agree on
    /// all. Traverses the whole tree: some viewers use its /Count entries, others count the pages.
    func firstDisputedIndex() throws(PDFError) -> Int? {
        _ = try walkedPages()
        return firstDisputed
    }

    /// The indices, from 0, of pages that the tree contains more than once.
    func repeatedPages() throws(PDFError) -> [ObjectID: [Int]] {
        var places: [ObjectID: [Int]] = [:]
        for (index, page) in try walkedPages().enumerated() {
            places[page.id, default: []].append(index)
        }
        return places.filter { $0.value.count > 1 }
    }

    private func noSuchPage(_ index: Int) -> PDFError {
        PDFError(.noSuchPage, "page \(index + 1) does not exist")
    }

    // MARK: Nodes

    /// The entries of a node that determine page positions.
    private struct Node {
        /// `nil` for a page.
        let kids: [PDFObject]?
        /// `nil` if missing or out of range.
        let count: Int?
        /// Whether viewers differ on whether it is a page or a node.
        let isAmbiguous: Bool
        /// The number of pages according to this node alone; `nil` if unknown.
        var pageCount: Int? { kids == nil ? 1 : count }
    }

    private func node(_ id: ObjectID) throws(PDFError) -> Node {
        guard case .dictionary(let dictionary) = try document.object(id) else {
            throw PDFError(
                .malformedPageTree, "a node of the page tree is not a dictionary", object: id)
        }
        guard case .array(let kids) = try document.value(dictionary, "Kids") else {
            return Node(kids: nil, count: nil, isAmbiguous: try isNode(dictionary, hasKids: false))
        }
        let count = try document.value(dictionary, "Count").integerValue
        return Node(
            kids: kids, count: count.flatMap { (0...pageLimit).contains($0) ? $0 : nil },
            isAmbiguous: try !isNode(dictionary, hasKids: true))
    }

    /// Whether viewers that check /Type treat a dictionary as a node.
    private func isNode(_ dictionary: PDFDictionary, hasKids: Bool) throws(PDFError) -> Bool {
        let type = try document.value(dictionary, "Type")
        guard type == .null else { return type.nameValue == "Pages" }
        return hasKids && dictionary["MediaBox"] == nil
    }

    /// Whether the kids' counts add up to `count`. With many kids, whether there are `count` kids.
    private func agrees(_ kids: [PDFObject], count: Int) throws(PDFError) -> Bool {
        guard kids.count <= Self.checkedKidCount else { return kids.count == count }
        var sum = 0
        for object in kids {
            guard let id = object.referenceValue, let pages = try? node(id).pageCount else {
                return false
            }
            sum += pages
        }
        return sum == count
    }

    // MARK: Skipping

    /// Descends directly to a page; `nil` if the counts do not lead to one.
    private func skipping(to index: Int) throws(PDFError) -> (id: ObjectID, path: [ObjectID])? {
        var id = root
        var remaining = index
        var visited: Set<ObjectID> = []
        var path: [ObjectID] = []
        descent: while visited.count < PDFLimits.pageTreeDepth, visited.insert(id).inserted {
            let node = try self.node(id)
            guard let kids = node.kids else {
                return remaining == 0 && id != root ? (id, path.reversed()) : nil
            }
            path.append(id)
            guard let count = node.count, remaining < count else { return nil }
            if !agreeing.contains(id) {
                guard try agrees(kids, count: count) else { return nil }
                agreeing.insert(id)
            }
            // As many kids as pages: each kid is or contains one page.
            if kids.count == count, remaining < kids.count {
                guard let next = kids[remaining].referenceValue, try self.node(next).pageCount == 1
                else { return nil }
                id = next
                remaining = 0
                continue
            }
            for object in kids {
                guard let next = object.referenceValue, let pages = try self.node(next).pageCount
                else { return nil }
                if remaining < pages {
                    id = next
                    continue descent
                }
                remaining -= pages
            }
            return nil
        }
        return nil
    }

    // MARK: Walking

    /// A remaining step of the walk.
    private enum Step {
        case visit(ObjectID, lister: ObjectID?)
        /// All kids of a node were visited: compares the number of pages with its /Count.
        case leave(count: Int?, first: Int)
        /// A kid that some viewers count, but none can show.
        case gap
    }

    private struct Walk {
        var found: [Listed] = []
        var visited: Set<ObjectID> = []
        var stack: [Step]
        var kidCount = 0
        var countIsRight = true
        /// The first page whose index viewers may count differently.
        var disputed = Int.max

        mutating func dispute() { disputed = min(disputed, found.count) }

        mutating func leave(count: Int?, first: Int) {
            let actual = found.count - first
            guard count != actual else { return }
            countIsRight = false
            disputed = min(disputed, first + min(count ?? 0, actual))
        }
    }

    private func walkedPages() throws(PDFError) -> [Listed] {
        if let pages { return pages }
        var walk = Walk(stack: [.visit(root, lister: nil)])
        while let step = walk.stack.popLast() {
            switch step {
            case .visit(let id, let lister): try visit(id, lister: lister, &walk)
            case .leave(let count, let first): walk.leave(count: count, first: first)
            case .gap: walk.dispute()
            }
        }
        if !walk.countIsRight {
            document.reader.warnings.add(
                .pageCount, "\(walk.found.count) pages, but a different Count", object: root)
        }
        if walk.disputed < Int.max { firstDisputed = walk.disputed }
        pages = walk.found
        return walk.found
    }

    private func visit(_ id: ObjectID, lister: ObjectID?, _ walk: inout Walk) throws(PDFError) {
        guard let node = try usableNode(id) else {
            walk.dispute()
            return
        }
        if node.isAmbiguous {
            document.reader.warnings.add(
                .pageTreeEntry, "some viewers treat it as a page, others do not", object: id)
            walk.dispute()
        }
        if !walk.visited.insert(id).inserted {
            let detail = "a node occurs twice in the page tree"
            guard document.options.repair != .never else {
                throw PDFError(.referenceLoop, detail, object: id)
            }
            document.reader.warnings.add(.pageTreeEntry, detail, object: id)
            // Other viewers show a page that is listed twice, and stop at a loop.
            if node.kids != nil {
                walk.dispute()
                return
            }
        }
        guard let kids = node.kids else {
            walk.found.append(Listed(id: id, lister: lister ?? root))
            guard walk.found.count <= pageLimit else {
                throw PDFError(.limitExceeded, "more than \(pageLimit) pages")
            }
            return
        }
        // Nodes that share a long array of kids would take quadratic time.
        walk.kidCount += kids.count
        guard walk.kidCount <= 2 * pageLimit else {
            throw PDFError(.limitExceeded, "page tree with too many nodes", object: id)
        }
        if let lister { listers[id] = lister }
        walk.stack.append(.leave(count: node.count, first: walk.found.count))
        for object in kids.reversed() {
            if let next = object.referenceValue {
                walk.stack.append(.visit(next, lister: id))
            } else {
                document.reader.warnings.add(
                    .pageTreeEntry, "a kid is \(object.kind), not a reference", object: id)
                walk.stack.append(.gap)
            }
        }
    }

    /// A node of the tree; `nil` for an unusable entry, which viewers skip.
    private func usableNode(_ id: ObjectID) throws(PDFError) -> Node? {
        do {
            return try node(id)
        } catch {
            guard error.code.isDamage, id != root else { throw error }
            document.reader.warnings.add(.pageTreeEntry, error.detail, object: id)
            return nil
        }
    }
}

extension PDFDocument {
    private func loadedPageTree() throws(PDFError) -> PageTree {
        if let pageTree { return pageTree }
        let tree = try PageTree(self)
        pageTree = tree
        return tree
    }

    package func pageCount() throws(PDFError) -> Int { try loadedPageTree().pageCount() }

    /// The page count stated by the page tree if no page can be found; otherwise `nil`.
    package func lostPageCount() throws(PDFError) -> Int? { try loadedPageTree().lostPageCount() }

    /// A page by its index, from 0.
    ///
    /// - Throws: ``PDFError``, `.noSuchPage` if the index is too high.
    package func page(at index: Int) throws(PDFError) -> PDFPage {
        let tree = try loadedPageTree()
        if let last = tree.last, last.index == index { return last.page }
        let (id, path) = try tree.page(at: index)
        guard case .dictionary(let dictionary) = try object(id) else {
            throw PDFError(.malformedPageTree, "the page is not a dictionary", object: id)
        }
        let page = try PDFPage(id: id, dictionary: dictionary, path: path, document: self)
        tree.last = (index, page)
        return page
    }

    /// The first index, from 0, at which viewers may show different pages; `nil` if they agree on
    /// all.
    package func firstDisputedPageIndex() throws(PDFError) -> Int? {
        try loadedPageTree().firstDisputedIndex()
    }

    /// The indices, from 0, of pages that the page tree contains more than once: a drawing on one
    /// is visible on all of them. Reads the whole tree.
    package func repeatedPages() throws(PDFError) -> [ObjectID: [Int]] {
        try loadedPageTree().repeatedPages()
    }

    /// The page object `id`; `nil` if it is not a page.
    package func page(_ id: ObjectID) throws(PDFError) -> PDFPage? {
        guard case .dictionary(let dictionary) = try object(id),
            try value(dictionary, "Type").nameValue == "Page"
        else { return nil }
        return try PDFPage(id: id, dictionary: dictionary, document: self)
    }
}
