"""The truth table of verification: what each level of signature is worth in each state.

One line a state. `pass`, `F X` and `I X` stand for passed, failed and indeterminate with the
sub-indication X of ETSI EN 319 102-1; a dash where the state cannot be made at that level. The last
column is what must be said of later changes.
"""

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from attacks import forge, incremental, update
from attacks.bases import (
    BEFORE, CATALOG, HOUR, NOW, PAGE, PAGES, YEAR, contract_objects, identity, revocation_list, write)
from attacks.case import FAILED, INDETERMINATE, PASSED, Case, Expect
from attacks.shadow import fill
from attacks.timestamps import stamped, token

LEVELS = ("B-B", "B-T", "B-LT", "B-LTA")

#   state                       B-B                            B-T            B-LT           B-LTA          changes
TABLE = """
    intact                      | pass                         | pass         | pass         | pass         |
    content changed             | F HASH_FAILURE               | same         | same         | same         |
    signature value changed     | F SIG_CRYPTO_FAILURE         | same         | same         | same         |
    validation data added       | pass                         | pass         | pass         | pass         | archival
    document stamped            | pass                         | pass         | pass         | pass         | archival
    form filled                 | pass                         | pass         | pass         | pass         | form-filling
    signed by a colleague       | pass                         | pass         | pass         | pass         | form-filling
    annotated                   | pass                         | pass         | pass         | pass         | annotations
    content replaced            | F FORMAT_FAILURE             | same         | same         | same         | forbidden
    page removed                | F FORMAT_FAILURE             | same         | same         | same         | forbidden
    locked form filled          | F FORMAT_FAILURE             | same         | same         | same         | form-filling
    P1, validation data added   | pass                         | pass         | pass         | pass         | archival
    P1, form filled             | F FORMAT_FAILURE             | same         | same         | same         | form-filling
    P1, annotated               | F FORMAT_FAILURE             | same         | same         | same         | annotations
    P2, form filled             | pass                         | pass         | pass         | pass         | form-filling
    P2, annotated               | F FORMAT_FAILURE             | same         | same         | same         | annotations
    P3, annotated               | pass                         | pass         | pass         | pass         | annotations
    bytes appended              | F FORMAT_FAILURE             | same         | same         | same         |
    expired since               | I OUT_OF_BOUNDS_NO_POE       | pass         | pass         | pass         |
    expired before              | I OUT_OF_BOUNDS_NO_POE       | F EXPIRED    | F EXPIRED    | F EXPIRED    |
    not valid yet               | I OUT_OF_BOUNDS_NO_POE       | F NOT_YET_VALID | same      | same         |
    revoked since               | I REVOKED_NO_POE             | pass         | pass         | pass         |
    revoked before              | I REVOKED_NO_POE             | F REVOKED    | F REVOKED    | F REVOKED    |
    untrusted                   | I NO_CERTIFICATE_CHAIN_FOUND | same         | same         | same         |
    wrong key usage             | I CHAIN_CONSTRAINTS_FAILURE  | same         | same         | same         |
    timestamp of other data     | -                            | I SIG_CONSTRAINTS_FAILURE | same | F HASH_FAILURE |
    timestamp by nobody known   | -                            | level B-B    | level B-B    | I NO_CERTIFICATE_CHAIN_FOUND |
    timestamp not for stamping  | -                            | level B-B    | level B-B    | F CHAIN_CONSTRAINTS_FAILURE |
"""

SIGNED = NOW - 20 * HOUR
ARCHIVED = NOW - 19 * HOUR
SINCE = NOW - 10 * HOUR


class Maker:
    """Builds a document of one level in one state."""

    def __init__(self, kit, level, state):
        self.kit, self.level, self.state = kit, level, state
        self.signer, self.tsa = kit.pki.signer, kit.pki.tsa
        self.lists = [revocation_list(kit.pki.middle), revocation_list(kit.pki.root)]
        self.certify, self.lock = None, b""

    def stamp(self, data, what=None):
        """A token, wrong where the state says so."""
        broken = self.state == "timestamp of other data"
        return token(self.tsa, b"other" if broken else data, time=self.stamped_at)

    def document_stamp(self, data, field=b"Stamp", when=None, tsa=None, broken=False):
        def build(digest):
            return token(
                tsa or self.tsa, b"", imprint=bytes(32) if broken else digest,
                time=when or ARCHIVED)

        return forge.embed(
            data, build, kind=b"/Type /DocTimeStamp", sub_filter=b"ETSI.RFC3161", field=field)

    def store(self, data):
        change = update.Update(data)
        streams = b" ".join(b"%d 0 R" % change.new(update.stream(one)) for one in self.lists)
        certificates = b" ".join(b"%d 0 R" % change.new(update.stream(one.der)) for one in (
            self.signer, *self.signer.chain, self.tsa))
        number = change.new(b"<< /CRLs [%s] /Certs [%s] >>" % (streams, certificates))
        if b"/DSS" in change.old(CATALOG):
            change.edit(CATALOG, rb"/DSS \d+ 0 R", b"/DSS %d 0 R" % number)
        else:
            change.add_entry(CATALOG, b"/DSS %d 0 R" % number)
        return change.finish()

    def prepare(self):
        """What must be so before the signature is made."""
        pki, state = self.kit.pki, self.state
        self.stamped_at = SIGNED
        if state == "expired since":
            self.signer = pki.issued(start=NOW - 3 * YEAR, end=SINCE)
            # A later list need not name the certificate any more.
            self.lists[0] = revocation_list(pki.middle, at=SINCE - HOUR)
        elif state == "expired before":
            self.signer = pki.issued(start=NOW - 3 * YEAR, end=BEFORE)
        elif state == "not valid yet":
            self.signer = pki.issued(start=NOW + YEAR)
        elif state == "untrusted":
            self.signer = pki.mallory
        elif state == "wrong key usage":
            self.signer = pki.issued(extended=[ExtendedKeyUsageOID.SERVER_AUTH])
        elif state.startswith("revoked"):
            when = SINCE if state == "revoked since" else BEFORE
            self.lists[0] = revocation_list(
                pki.middle, [self.signer], when=when,
                reason=x509.ReasonFlags.cessation_of_operation)
        elif state == "timestamp by nobody known":
            self.tsa = identity(
                "Time Authority", usages=("digital_signature",),
                extended=[ExtendedKeyUsageOID.TIME_STAMPING], critical=True)
        elif state == "timestamp not for stamping":
            self.tsa = identity(
                "Time Authority", pki.root, usages=("digital_signature",),
                extended=[ExtendedKeyUsageOID.SERVER_AUTH], critical=True)
        if state.startswith("P"):
            self.certify = int(state[1])
        if state.startswith("locked"):
            self.lock = (
                b"/Reference [<< /Type /SigRef /TransformMethod /FieldMDP /Data 1 0 R"
                b" /TransformParams << /Type /TransformParams /Action /All /V /1.2 >> >>]")

    def sign(self):
        """The document up to the wanted level."""
        self.prepare()
        entries = self.lock
        if self.certify:
            entries = (
                b"/Reference [<< /Type /SigRef /TransformMethod /DocMDP /TransformParams <<"
                b" /Type /TransformParams /P %d /V /1.2 >> >>]" % self.certify)

        def build(digest):
            options = {}
            if self.state == "signature value changed":
                options["sign_with"] = self.kit.pki.second
            if self.level == "B-B":
                return forge.simple(self.signer, digest, **options)
            return stamped(self.signer, digest, self.stamp, **options)

        data = forge.embed(
            write(contract_objects()), build, entries=entries, perms=bool(self.certify))
        if self.level in ("B-LT", "B-LTA"):
            data = self.store(data)
        if self.level == "B-LTA":
            data = self.document_stamp(data, broken=self.state == "timestamp of other data")
        return data

    def finished(self):
        """The document after what happened to it."""
        data = self.sign()
        what = self.state.split(", ")[-1]
        if what == "content changed":
            data = data.replace(b"We owe you 100 EUR.", b"We owe you 900 EUR.", 1)
        elif what == "validation data added":
            data = self.store(data)
        elif what == "document stamped":
            data = self.document_stamp(data, b"Later", NOW - HOUR)
        elif what in ("form filled", "locked form filled"):
            data = fill(data, b"900", b"900")
        elif what == "signed by a colleague":
            data = self.kit.sign(data, field="Approval", signer=self.kit.pki.second)
        elif what == "annotated":
            change = update.Update(data)
            note = change.new(
                b"<< /Type /Annot /Subtype /Text /F 4 /Rect [500 60 520 80] /Contents (noted) >>")
            change.append_to(PAGE, b"/Annots", b"%d 0 R" % note)
            data = change.finish()
        elif what == "content replaced":
            data = incremental.replaced_content(data).finish()
        elif what == "page removed":
            change = update.Update(data)
            change.put(PAGES, b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
            data = change.finish()
        elif what == "bytes appended":
            data += b"% and more\n"
        return data

    @property
    def options(self):
        """The lists, where the document does not bring them."""
        if not self.state.startswith("revoked") or self.level in ("B-LT", "B-LTA"):
            return ()
        return tuple(word for index, one in enumerate(self.lists) for word in (
            "--crl", self.kit.file(
                f"{self.state}-{self.level}-{index}.crl".replace(" ", "-"), one)))


def expectation(text, changes, level):
    """What a cell of the table means."""
    words = text.split()
    if words[0] == "pass":
        return Expect({PASSED: []}, changes=changes, level=level)
    if words[0] == "level":
        # As good as without a timestamp, which must be complained about.
        return Expect({PASSED: []}, level=words[1], remark="time-?stamp")
    return Expect(
        {FAILED if words[0] == "F" else INDETERMINATE: [words[1]]}, changes=changes)


def cases(kit):
    for line in TABLE.strip().splitlines():
        state, *cells, changes = (cell.strip() for cell in line.split("|"))
        for index, (level, cell) in enumerate(zip(LEVELS, cells)):
            if cell == "same":
                cell = cells[index] = cells[index - 1]
            if cell == "-":
                continue
            maker = Maker(kit, level, state)
            yield Case(
                level, state.replace(", ", "-").replace(" ", "-"), state, maker.finished(),
                expectation(cell, changes or None,
                            level if state == "intact" else None), options=maker.options)
