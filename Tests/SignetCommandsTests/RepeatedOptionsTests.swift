import Testing

@testable import SignetCommands

struct RepeatedOptionsTests {
    @Test func repeatsWhatInfluencesTheResult() {
        let options = RepeatedOptions([
            "cms", "verify", "a b.p7s", "--content", "sub dir/x", "--json", "--at-time=2020-01-01",
            "-o", "out", "--trust", "ca.crt", "--online", "--report", "r.html", "--", "-x.p7s",
        ])
        #expect(
            options.verify("-x.p7s", ["--save-certs", "certs"])
                == "signet cms verify ./-x.p7s --content 'sub dir/x' --at-time=2020-01-01 "
                + "--trust ca.crt --online --save-certs certs")
        #expect(
            options.extending("signet extend a.p7s --tsa URL")
                == "signet extend a.p7s --tsa URL --content 'sub dir/x' --trust ca.crt")
        #expect(options.timeOption == "--at-time")
        #expect(!options.contains("--report"))
    }

    @Test func hasNoneForOtherFiles() {
        #expect(
            RepeatedOptions(["verify", "a.pdf"]).verify("it's.pdf")
                == "signet verify 'it'\\''s.pdf'")
        #expect(RepeatedOptions([]).timeOption == nil)
    }
}
