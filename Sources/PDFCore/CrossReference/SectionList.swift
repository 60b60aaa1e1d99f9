/// The cross-reference sections of a document, the newest first.
///
/// The views of all revisions share the sections. Copies for each view would need memory
/// proportional to the square of their number.
package struct SectionList: RandomAccessCollection {
    private let all: [CrossReferenceSection]
    /// Indices by the position of the section.
    private let places: [Int: Int]
    /// By index, the end of this section and all older ones; `Int.max` if one of them is hybrid or
    /// reconstructed.
    private let plainEnds: [Int]
    /// By index, whether the trailer of this section or an older one has /Encrypt.
    private let encryption: [Bool]
    /// Number of sections in the file that are newer than this list's first one.
    let newerCount: Int

    init(_ sections: [CrossReferenceSection]) {
        all = sections
        newerCount = 0
        places = Dictionary(
            sections.enumerated().map { ($1.offset, $0) }, uniquingKeysWith: { first, _ in first })
        var ends: [Int] = []
        for section in sections.reversed() {
            let isPlain = section.supplementOffset == nil && section.kind != .rebuilt
            ends.append(Swift.max(ends.last ?? 0, isPlain ? section.endOffset : .max))
        }
        plainEnds = ends.reversed()
        encryption = sections.reversed().reduce(into: [Bool]()) { known, section in
            known.append(known.last ?? false || section.trailer["Encrypt"] != nil)
        }.reversed()
    }

    private init(_ list: SectionList, droppingFirst count: Int) {
        all = list.all
        places = list.places
        plainEnds = list.plainEnds
        encryption = list.encryption
        newerCount = list.newerCount + count
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { all.count - newerCount }
    package subscript(index: Int) -> CrossReferenceSection { all[newerCount + index] }

    /// The trailer of a section, which takes less time than a copy of the section.
    func trailer(of index: Int) -> PDFDictionary { all[newerCount + index].trailer }

    /// See ``CrossReferenceSection/location(of:)``.
    func location(of number: Int, in index: Int) throws(PDFError) -> ObjectLocation? {
        try all[newerCount + index].location(of: number)
    }

    package func index(at offset: Int) -> Int? {
        places[offset].flatMap { $0 < newerCount ? nil : $0 - newerCount }
    }

    /// Whether this section and all older ones end before `end`, and none is hybrid or
    /// reconstructed.
    func arePlain(from index: Int, before end: Int) -> Bool { plainEnds[newerCount + index] <= end }

    /// Whether any trailer has /Encrypt.
    var isEncrypted: Bool { newerCount < encryption.count && encryption[newerCount] }

    /// The sections without the newest `count`.
    func older(than count: Int) -> SectionList { SectionList(self, droppingFirst: count) }
}
