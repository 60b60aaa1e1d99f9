import ArgumentParser

/// Handling of damaged PDFs in commands that append an incremental update.
struct DamageOptions: ParsableArguments {
    @Flag(
        help: "Accept damaged PDFs that viewers repair differently")
    var allowDamaged = false
}
