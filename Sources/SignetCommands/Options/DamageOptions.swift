import ArgumentParser

/// Handling of damaged PDFs in commands that append an incremental update.
struct DamageOptions: ParsableArguments {
    @Flag(
        help: "Sign a damaged PDF although viewers may repair it differently")
    var allowDamaged = false
}
