import ArgumentParser

/// How damaged PDFs are treated, for every command that appends an incremental update.
struct DamageOptions: ParsableArguments {
    @Flag(
        help: """
            Accept a damaged PDF: viewers may display it differently, and verify may not pass it.
            """)
    var allowDamaged = false
}
