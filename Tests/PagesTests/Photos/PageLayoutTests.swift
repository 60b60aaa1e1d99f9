import Base
import Pages
import Testing

struct PageLayoutTests {
    private func place(_ layout: PageLayout, _ width: Int, _ height: Int, turn: Int = 1)
        -> PageLayout.Placement?
    { layout.place(width: width, height: height, density: (72, 72), orientation: turn) }

    @Test(arguments: [
        (1, [48.0, 0, 0, 32, 0, 0]), (2, [-48, 0, 0, 32, 48, 0]), (3, [-48, 0, 0, -32, 48, 32]),
        (4, [48, 0, 0, -32, 0, 32]), (5, [0, -48, -32, 0, 32, 48]), (6, [0, -48, 32, 0, 0, 48]),
        (7, [0, 48, 32, 0, 0, 0]), (8, [0, 48, -32, 0, 32, 0]),
    ])
    func turnsUpright(turn: Int, matrix: [Double]) {
        let placement = place(PageLayout(), 48, 32, turn: turn)
        #expect(placement?.matrix == matrix)
        #expect(placement?.page.width == (turn < 5 ? 48 : 32))
    }

    @Test func densityGivesTheSize() {
        let placement = PageLayout().place(
            width: 300, height: 600, density: (300, 150), orientation: 1)
        #expect(placement?.page == PageLayout.Size(width: 72, height: 288))
        var layout = PageLayout()
        layout.dotsPerInch = 150
        #expect(place(layout, 300, 600)?.page == PageLayout.Size(width: 144, height: 288))
    }

    @Test func containsCoversOrLeavesAlone() {
        var layout = PageLayout()
        layout.pageSize = PageLayout.Size(width: 100, height: 200)
        layout.margin = 10
        #expect(place(layout, 40, 40)?.matrix == [80, 0, 0, 80, 10, 60])
        layout.fit = .cover
        #expect(place(layout, 40, 40)?.matrix == [180, 0, 0, 180, -40, 10])
        #expect(place(layout, 40, 40)?.clip == [10, 10, 80, 180])
        layout.fit = .none
        #expect(place(layout, 40, 40)?.matrix == [40, 0, 0, 40, 30, 80])
        #expect(place(layout, 40, 40)?.clip == nil)
    }

    @Test func thePageTurnsWithThePhoto() {
        var layout = PageLayout()
        layout.pageSize = PageLayout.Size(width: 100, height: 200)
        #expect(place(layout, 40, 20)?.page == PageLayout.Size(width: 200, height: 100))
        #expect(place(layout, 40, 20, turn: 6)?.page == PageLayout.Size(width: 100, height: 200))
        layout.orientation = .portrait
        #expect(place(layout, 40, 20)?.page == PageLayout.Size(width: 100, height: 200))
    }

    @Test func extremesStayWithinTheLimits() {
        let large = place(PageLayout(), 65_500, 10)
        #expect(large?.userUnit == 5)
        #expect(large?.page.width == 13_100)
        #expect(place(PageLayout(), 1, 1)?.page == PageLayout.Size(width: 3, height: 3))
        var layout = PageLayout()
        layout.pageSize = PageLayout.Size(width: 100, height: 200)
        layout.margin = 50
        #expect(place(layout, 10, 10) == nil)
    }
}
