"""What an attack is, and the verdict that it must get."""

import dataclasses

# Exit codes.
PASSED, INDETERMINATE, FAILED, UNSIGNED, MALFORMED, UNAVAILABLE = 0, 3, 4, 5, 65, 69


@dataclasses.dataclass(frozen=True)
class Expect:
    """Exit codes, any of which will do, and for each the sub-indications that may come with it.

    Without sub-indications any will do. `changes` names what one signature must say about later
    changes, alternatives between bars; `remark` a pattern for a word that the answer must have;
    `level` the PAdES level that one signature must be said to have.
    """

    outcomes: dict
    changes: str | None = None
    remark: str | None = None
    level: str | None = None

    def __or__(self, other):
        merged = dict(self.outcomes)
        for code, names in other.outcomes.items():
            # No name at all means any, which is more than some.
            known = merged.get(code, names)
            merged[code] = known + [n for n in names if n not in known] if known and names else []
        return Expect(merged, self.changes or other.changes, self.remark or other.remark,
            self.level or other.level)


def failed(*subindications):
    return Expect({FAILED: list(subindications)})


def indeterminate(*subindications):
    return Expect({INDETERMINATE: list(subindications)})


FF = failed("FORMAT_FAILURE")
HF = failed("HASH_FAILURE")
SF = failed("SIG_CRYPTO_FAILURE")
BROKEN = failed("HASH_FAILURE", "SIG_CRYPTO_FAILURE", "FORMAT_FAILURE")
# The file cannot be read as a PDF at all, or no signature is left in it.
ERROR = Expect({MALFORMED: []})
NO_SIGNATURE = Expect({UNSIGNED: []})
PASS = Expect({PASSED: []})
NO_CHAIN = indeterminate("NO_CERTIFICATE_CHAIN_FOUND")
NO_SIGNER = indeterminate("NO_SIGNING_CERTIFICATE_FOUND")
CONSTRAINTS = indeterminate("CHAIN_CONSTRAINTS_FAILURE")
WEAK = indeterminate("CRYPTO_CONSTRAINTS_FAILURE_NO_POE")


@dataclasses.dataclass
class Case:
    """One file to verify.

    id: the catalogue's row, `SWA-1`; variant: which of its forms, unique within the row.
    about: one sentence on what was done.
    shows: text that a viewer shows in the forged file and not in the honest one, proof that the
        attack is real; `differs` names the honest document that its pages must not look like.
    clean: the answer for people must not hold control characters of the file.
    untimed: no signature may be said to have a trusted timestamp.
    viewers: installed viewers must show a difference since the signature.
    command, options: what is run, and its further arguments.
    content: what a detached message is verified against.
    """

    id: str
    variant: str
    about: str
    data: bytes
    expect: Expect
    shows: str | None = None
    differs: bytes | None = None
    clean: bool = False
    untimed: bool = False
    viewers: bool = False
    options: tuple = ()
    suffix: str = ".pdf"
    content: bytes | None = None
    command: tuple = ("verify",)

    @property
    def name(self):
        return f"{self.id}-{self.variant}"
