package import Base

/// An issue of the Official Journal of the European Union that prints the certificates which may
/// sign the list of lists.
package struct OfficialJournal: Sendable {
    package let name: String
    /// The addresses by which the list of lists refers to it.
    package let uris: [String]
    /// SHA-256 of the certificates, which are compared as a whole, without path validation or
    /// revocation check.
    package let fingerprints: [[UInt8]]
    /// When a newer issue replaces this one; nil for the newest.
    package let supersededFrom: CalendarTime?

    package init(
        name: String, uris: [String], fingerprints: [[UInt8]], supersededFrom: CalendarTime? = nil
    ) {
        self.name = name
        self.uris = uris
        self.fingerprints = fingerprints
        self.supersededFrom = supersededFrom
    }

    /// The known issues, newest first. The certificates are those in the list of lists itself and
    /// in another validator (pyHanko); `signet trust list --anchors` prints them for comparison
    /// with the printed page.
    package static let known = [journal2026, journal2019]

    private static let journal2026 = OfficialJournal(
        name: "OJ C, C/2026/1944", uris: ["https://eur-lex.europa.eu/eli/C/2026/1944/oj"],
        fingerprints: [
            "c0641c4f7d56c431b1c924742db7fce9c1eef7d7fd212113a2768486b3abcdc5",
            "e0a620fbb6747362bb933ac44169d676a553444716cf5f31605f12a22b8396b1",
            "df7e29360c34b2b8d6d5f40325c1d4d12c9922cecd33b7407674a74b2b3ca1e5",
            "b63d416744e7098bf9ec2caa596a93bc2468e37f8284ba65ecc061711bcbaa18",
            "236103f03a8031ae8f47f9059bf8de38564cdbfebedde4a597d50f8980aa653b",
            "d2064fdd70f6982dcc516b86d9d5c56aea939417c624b2e478c0b29de54f8474",
        ].compactMap { Hex.decode($0.utf8) })

    /// Kept for lists of its time, such as lists in archives.
    private static let journal2019 = OfficialJournal(
        name: "OJ C 276, 16.8.2019",
        uris: [
            "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=uriserv:"
                + "OJ.C_.2019.276.01.0001.01.ENG"
        ],
        fingerprints: [
            "5400ab712c41aaf0c40b505e264d5494d8af4180f8f62955d16223b3290f97c3",
            "9c1a3b646eaf132398ef319e41c8e7ed725b64d5772580ae125d59c0f6845630",
            "59a1bf290b818b177ad61ac4b3e6dcddd46da6d5be9579f8564adea6f2cf073e",
            "8e508f03b132500c3403db66e9dd39cd78f4657c840958a77d34e7bd621468e7",
            "c1a37db48cd5e0479b97f4de32e3a7470c52aafb94c1656ef56f97503992c8a7",
            "d2064fdd70f6982dcc516b86d9d5c56aea939417c624b2e478c0b29de54f8474",
            "435504bfd802edf4db08cbd7c7729a0d45b227797b727e4e6ea1d31684166342",
            "ccd879b36bb553685becbd12901c7f41f7bd3e07f898fcbbe1eec456b03d7589",
        ].compactMap { Hex.decode($0.utf8) },
        // The date of the first list of lists that refers to the issue of 2026.
        supersededFrom: CalendarTime(year: 2026, month: 5, day: 22))
}
