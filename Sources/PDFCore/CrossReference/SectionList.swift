/// The cross-reference sections of a document, the newest first.
///
/// The views of all revisions share the sections: a copy for each of them would cost the square of
/// their number.
package struct SectionList: RandomAccessCollection {
    private let all: [CrossReferenceSection]
    /// How many sections are newer than the first one.
    let newerCount: Int

    init(_ sections: [CrossReferenceSection]) {
        all = sections
        newerCount = 0
    }

    private init(_ list: SectionList, droppingFirst count: Int) {
        all = list.all
        newerCount = list.newerCount + count
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { all.count - newerCount }
    package subscript(index: Int) -> CrossReferenceSection { all[newerCount + index] }

    /// What is left without the newest `count` sections.
    func older(than count: Int) -> SectionList { SectionList(self, droppingFirst: count) }
}
