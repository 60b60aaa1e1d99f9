"""usage: Scripts/corpus crypto FOLDER [--only PATTERN] [--signet BINARY] [--verbose]

Reads every key, PKCS#12 file, certificate, CSR, CMS file and timestamp below FOLDER with the built
binary, and compares the results with the MANIFEST.jsonl of the folder. Valid files are read, converted
and read again by openssl. Damaged files end with exit code 65, 77 or 4. CMS files pass or fail as
their entry requires. Files without an expected result are listed with the result. The exit code is 1 if
a result differs.
"""

import datetime
import pathlib
import tempfile

import command
from corpus.common import Run, Tally, anchor, manifest

# What Signet does on purpose unlike the oracle, and why.
ARGUED = {
    "explicit": "elliptic curves spelled out by parameters are refused (RFC 5480 §2.1.1)",
    "md4": "MD4 is not supported: no forgery-proof signature uses it",
    "type": "a type of key that makes no signatures, or none that Signet supports",
    "openssh": "OpenSSH's own format; the message says how to convert it",
    "lines": "lines of base64 may have any length, as in certificates (RFC 7468 §3, lax parsing)",
    "small": "a key shorter than OpenSSL's own parser accepts",
}


class Corpus:
    def __init__(self, options, work):
        self.options, self.work, self.tally = options, work, Tally(options.verbose)
        self.anchor = anchor(work)

    def signet(self, *arguments, password=None):
        option = [] if password is None else ["--passphrase-env", "SIGNET_CORPUS_PASSWORD"]
        return Run(
            [self.options.signet, *arguments, *option], {"SIGNET_CORPUS_PASSWORD": password or ""})

    def note(self, entry, result, detail=""):
        name = entry["file"]
        self.tally.note(name.split("/")[1], result, f"{name}: {detail}")

    # Each judges one file.

    def key(self, entry, path):
        oracle = entry.get("oracle") or {}
        shown = self.signet("show", path, "--json", password=entry["password"])
        verdict = (entry.get("expect") or {}).get("verdict")
        if shown.code not in (0, 65, 77):
            return self.note(entry, "failed", f"exit {shown.code}: {shown.says()}")
        if verdict == "malformed":
            if shown.code == 0 and "line" in path.name or "column" in path.name:
                return self.note(entry, "argued", ARGUED["lines"])
            # Damage that decrypts to garbage cannot be told from a wrong passphrase.
            good = shown.code == 65 or shown.code == 77 and entry["password"] is not None
            return self.note(entry, "ok" if good else "failed", f"exit {shown.code}: {shown.says()}")
        readable = any(oracle.get(k) == 0 for k in ("openssl_pkey_exit", "openssl_pkcs12_exit"))
        if shown.code == 0 and any(a.get("isPrivate") for a in shown.json()):
            return self.convert(entry, path)
        if shown.code == 0:
            return self.note(entry, "ok", "public")
        for reason, words in (
                ("explicit", "explicit parameters"), ("openssh", "OpenSSH"), ("type", "unsupported type"),
                ("type", "is nothing that signet knows"), ("small", "too small")):
            if words in shown.says():
                return self.note(entry, "argued" if readable else "ok", ARGUED[reason])
        if not readable:
            return self.note(entry, "ok", f"openssl refuses it as well: {shown.says()}")
        self.note(entry, "failed", f"exit {shown.code}: {shown.says()}")

    def convert(self, entry, path):
        """Out in every format, each read by openssl; the public halves must agree."""
        publics = set()
        for format, option in (("pem", "PEM"), ("der", "DER")):
            output = self.work / f"out.{format}"
            made = self.signet(
                "key", "convert", path, "-o", output, "--to", format, "--no-passphrase", "--force",
                password=entry["password"])
            if made.code != 0:
                return self.note(entry, "failed", f"convert: exit {made.code}: {made.says()}")
            read = Run(["openssl", "pkey", "-in", output, "-inform", option, "-pubout"])
            if read.code != 0:
                return self.note(entry, "failed", f"openssl does not read it: {read.says()}")
            publics.add(read.out)
        self.note(entry, "ok" if len(publics) == 1 else "failed", "converted both ways")

    def certificate(self, entry, path):
        if path.name.startswith("ocsp.re") or path.name.endswith("params.pem"):
            return  # Neither a certificate nor a key.
        shown = self.signet("show", path, "--json", password=entry.get("password"))
        verdict = (entry.get("expect") or {}).get("verdict")
        if shown.code == 77 and not entry.get("password"):
            return self.note(entry, "open", "encrypted, and no password is known")
        expected = 65 if verdict == "malformed" else 0
        good = shown.code == expected
        self.note(entry, "ok" if good else "failed", f"exit {shown.code}: {shown.says()}")

    def request(self, entry, path):
        oracle = entry["oracle"]
        found = self.signet("csr", "verify", path, "--json")
        detail = f"exit {found.code}: {found.says()}"
        if "md4" in oracle["signature_algorithm"].lower():
            return self.note(entry, "argued" if found.code == 4 else "failed", ARGUED["md4"])
        if oracle["self_signature_ok"]:
            good = found.code == 0 and found.json()[0]["verified"] is True
        else:
            good = found.code in (4, 65)
        self.note(entry, "ok" if good else "failed", detail)

    def message(self, entry, path):
        oracle, expect = entry.get("oracle") or {}, entry.get("expect") or {}
        content = []
        if "detached_content" in expect:
            content = ["--content", self.options.folder / expect["detached_content"]]
        elif "detached_content_text" in expect:
            file = self.work / "content"
            file.write_text(expect["detached_content_text"])
            content = ["--content", file]
        found = self.signet("cms", "verify", path, "--json", "--trust", self.anchor, *content)
        if found.code not in (0, 3, 4, 65, 66):
            return self.note(entry, "failed", f"exit {found.code}: {found.says()}")
        report = found.json()[0] if found.code in (0, 3, 4) else {"signatures": []}
        intact = bool(report["signatures"]) and all(s["intact"] for s in report["signatures"])
        formal = [p["code"] for s in report["signatures"] for p in s["problems"]
                  if p["code"] not in ("certificate-not-trusted", "weak-algorithm", "expired",
                                       "key-usage", "extended-key-usage", "ca-certificate",
                                       "attributes-not-sorted", "signer-name-encoding",
                                       "signing-certificate-hint-mismatch", "not-yet-valid",
                                       "version-unusual")]
        detail = f"exit {found.code}, {'intact' if intact else 'not intact'}, {formal or found.says()}"
        verdict = expect.get("verdict")
        if found.code == 66:
            return self.note(
                entry, "open", f"{verdict}: detached, and its content is not in the folder")
        if verdict == "valid":
            # Trust is another question: the corpus' anchors are not at hand.
            good = intact and found.code in (0, 3)
        elif verdict in ("invalid", "malformed"):
            good = found.code in (3, 4, 65) and (found.code != 3 or bool(formal))
        elif verdict is None and oracle.get("openssl_verify_noverify_exit") == 0:
            good = intact
        else:
            return self.note(entry, "open", f"{verdict}: {detail}")
        self.note(entry, "ok" if good else "failed", f"{verdict}: {detail}")

    def timestamp(self, entry, path):
        if entry["kind"] == "tsa-chain":
            return
        oracle, expect = entry.get("oracle") or {}, entry.get("expect") or {}
        shown = self.signet("show", path, "--json")
        if shown.code != 0:
            return self.note(entry, "failed", f"exit {shown.code}: {shown.says()}")
        shown = shown.json()[0]
        said = shown if entry["kind"] == "rfc3161-request" else shown["token"]
        digits = lambda text: (text or "").lower().removeprefix("0x").lstrip("0")
        wanted = {
            "digest": oracle.get("hash", said["digest"]),
            "imprint": oracle.get("imprint", said["imprint"])}
        if entry["kind"] != "rfc3161-request":
            time = datetime.datetime.strptime(oracle["gen_time"], "%b %d %H:%M:%S %Y GMT")
            wanted |= {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ")}
            said = said | {"time": said["time"][:19] + "Z"}
            if digits(said["serial"]) != digits(oracle["serial"]):
                return self.note(entry, "failed", f"serial {said['serial']}")
            # openssl prints long identifiers cut off.
            if not said["policy"].startswith(oracle["policy"][:60]):
                return self.note(entry, "failed", f"policy {said['policy']}")
            nonce = oracle["nonce"].replace("unspecified", "")
            if digits(said.get("nonce")) != digits(nonce):
                return self.note(entry, "failed", f"nonce {said.get('nonce')}")
        wrong = {key: said[key] for key in wanted if said[key] != wanted[key]}
        if wrong:
            return self.note(entry, "failed", f"{wrong}, openssl says {wanted}")
        if entry["kind"] == "rfc3161-request":
            return self.note(entry, "ok")
        question = ["--hash", said["imprint"]]
        if "stamped_content_text" in expect:
            file = self.work / "content"
            file.write_text(expect["stamped_content_text"])
            question = ["--content", file]
        chains = [file for file in self.chains if file.parent == path.parent] or [self.anchor]
        trust = [option for file in chains for option in ("--trust", file)]
        found = self.signet("tsp", "verify", path, *question, *trust, "--json")
        codes = [p["code"] for s in found.json()[0]["signatures"] for p in s["problems"]]
        detail = f"{expect.get('verdict')}: exit {found.code}, {codes}"
        if "verdict" in expect:
            good = found.code == {"valid": 0, "invalid": 4}[expect["verdict"]]
            return self.note(entry, "ok" if good else "failed", detail)
        self.note(entry, "open" if found.code in (3, 4) else "failed", detail)

    def run(self):
        kinds = {
            "keys": self.key, "pkcs12": self.key, "identities": self.certificate,
            "pem-variants": self.certificate, "csr": self.request, "cms": self.message,
            "rfc3161": self.timestamp}
        self.chains = list((self.options.folder / "crypto/rfc3161").glob("*/*chain*"))
        for entry, path in manifest(self.options.folder, "crypto/", self.options.only):
            kind = entry["file"].split("/")[1]
            if kind in kinds and path.suffix not in (".png", ".bin"):
                kinds[kind](entry, path)
        return self.tally.report()


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="*")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="signet-corpus-") as work:
        return Corpus(options, pathlib.Path(work)).run()
