"""Looks for files that `signet verify` passes though a reader shows something else than was signed.

`documents` makes signed documents of all kinds, `shadows` those that an attacker prepared before
they were signed, `odd` makes choices, `revisions` spells what is appended to a document, `forgeries`
puts between it what a lenient reader may take for real, `edits` changes bytes, `mutants` joins
these, `compare` asks the program and the readers.
"""
