import ArgumentParser

/// Handling of damaged PDFs in commands that append an incremental update.
struct DamageOptions: ParsableArguments {
    @Flag(
        help: """
            Accept a damaged PDF: viewers may display it differently, and verify may not pass it.
            """)
    var allowDamaged = false
}
