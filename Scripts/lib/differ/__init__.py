"""Looks for files that `signet verify` passes though a reader shows something else than was signed.

`documents` makes signed documents of all kinds, `shadows` those that an attacker prepared before
they were signed, `odd` makes choices, `blocks` says what an update changes, `revisions` spells it,
`forgeries` has what a lenient reader may take for real, `semantics` changes entries, `edits` bytes,
`mutants` joins these, `compare` asks the program and the readers.
"""
