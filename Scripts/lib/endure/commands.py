"""The commands that faults are tried on, and the folder with what they need."""

import dataclasses
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
KEY = ("--key", "key.pem", "--cert", "cert.pem")
# How an output is told to be whole.
SIGNED = ("verify", "{}", "--trust", "cert.pem")
MESSAGE = ("verify", "{}", "--content", "data.bin", "--trust", "cert.pem")
STAMP = ("tsp", "verify", "{}", "--content", "data.bin", "--trust", "ca.pem")
SHOWN = ("show", "{}")
RAW = ("hash", "verify", "data.bin", "--signature", "{}", "--cert", "cert.pem")
CONTENT = None


@dataclasses.dataclass(frozen=True)
class Command:
    name: str
    arguments: tuple
    # Files beside those that all commands get.
    inputs: tuple = ()
    # Output to how it is checked; outputs of a folder with the folder's name.
    outputs: tuple = ()
    # The exit codes without a fault.
    codes: tuple = (0,)
    # Outputs that are there before, and that --force permits to replace.
    replaces: bool = False
    # Which state of the identity store it begins with; a name and how it is seen before and after.
    store: str = ""
    before: str = ""
    after: str = ""
    # What standard output must say after a success.
    says: str = ""


def _commands():
    yield Command("sign", ("sign", "letter.pdf", *KEY), outputs=(("letter.signed.pdf", SIGNED),))
    yield Command(
        "sign-force", ("sign", "letter.pdf", *KEY, "--force"),
        outputs=(("letter.signed.pdf", SIGNED),), replaces=True)
    yield Command(
        "sign-in-place", ("sign", "copy.pdf", *KEY, "--in-place"), inputs=(),
        outputs=(("copy.pdf", None),), replaces=True)
    yield Command(
        "sign-stamp", ("sign", "letter.pdf", *KEY, "--at", "1:top-left"),
        outputs=(("letter.signed.pdf", SIGNED),))
    yield Command(
        "sign-message", ("sign", "data.bin", *KEY), outputs=(("data.bin.p7s", MESSAGE),))
    yield Command(
        "sign-batch", ("sign", "letter.pdf", "second.pdf", *KEY, "-o", "out"),
        inputs=("second.pdf", "out/"),
        outputs=(("out/letter.signed.pdf", SIGNED), ("out/second.signed.pdf", SIGNED)))
    yield Command(
        "sign-p12", ("sign", "letter.pdf", "--key", "me.p12", "--passphrase-file", "pass"),
        inputs=("me.p12", "pass"), outputs=(("letter.signed.pdf", SIGNED),))
    yield Command(
        "sign-photo", ("sign", "photo.jpg", "--as-pdf", *KEY), inputs=("photo.jpg",),
        outputs=(("photo.signed.pdf", SIGNED),))
    yield Command(
        "sign-identity", ("sign", "letter.pdf", "--identity", "me"), store="full",
        outputs=(("letter.signed.pdf", SIGNED),))
    yield Command(
        "sign-tsa", ("sign", "letter.pdf", *KEY, "--tsa", "{tsa}", "--tsa-timeout", "5"),
        outputs=(("letter.signed.pdf", SIGNED),))
    yield Command(
        "timestamp", ("timestamp", "letter.pdf", "--tsa", "{tsa}", "--tsa-timeout", "5"),
        outputs=(("letter.timestamped.pdf", ("verify", "{}", "--trust", "ca.pem")),))
    yield Command(
        "timestamp-file", ("timestamp", "data.bin", "--tsa", "{tsa}", "--tsa-timeout", "5"),
        outputs=(("data.bin.tsr", STAMP),))
    yield Command(
        "verify", ("verify", "signed.pdf", "--trust", "cert.pem"), inputs=("signed.pdf",),
        says="PASSED")
    yield Command(
        "verify-tampered", ("verify", "tampered.pdf", "--trust", "cert.pem"),
        inputs=("tampered.pdf",), codes=(4,))
    yield Command(
        "verify-message", ("verify", "data.bin.p7s", "--trust", "cert.pem"),
        inputs=("data.bin.p7s",), says="PASSED")
    yield Command(
        "verify-extract",
        ("verify", "signed.pdf", "--trust", "cert.pem", "--extract-revision", "1", "-o", "r.pdf"),
        inputs=("signed.pdf",), outputs=(("r.pdf", SIGNED),), says="PASSED")
    yield Command("show", ("show", "signed.pdf"), inputs=("signed.pdf",), says="Signature1")
    yield Command("show-key", ("show", "key.pem"), says="private key")
    yield Command(
        "convert", ("convert", "photo.jpg", "-o", "photo.pdf"), inputs=("photo.jpg",),
        outputs=(("photo.pdf", SHOWN),))
    yield Command(
        "convert-half", ("convert", "photo.jpg", "photo.jpg", "--scale", "1/2", "-o", "photo.pdf"),
        inputs=("photo.jpg",), outputs=(("photo.pdf", SHOWN),))
    yield Command(
        "key-generate",
        ("key", "generate", "--type", "ec:P-256", "--no-passphrase", "-o", "k", "--public-out", "p"),
        outputs=(("k", SHOWN), ("p", SHOWN)))
    yield Command(
        "key-generate-force",
        ("key", "generate", "--type", "ed25519", "--no-passphrase", "-o", "k", "--force"),
        outputs=(("k", SHOWN),), replaces=True)
    yield Command(
        "key-convert", ("key", "convert", "key.pem", "--to", "der", "--no-passphrase", "-o", "k"),
        outputs=(("k", SHOWN),))
    yield Command(
        "csr-create", ("csr", "create", "--key", "key.pem", "--subject", "CN=A", "-o", "r"),
        outputs=(("r", SHOWN),))
    yield Command(
        "csr-new-key",
        ("csr", "create", "--new-key", "ed25519", "--key-out", "k", "--no-passphrase", "--subject",
         "CN=A", "-o", "r"), outputs=(("k", SHOWN), ("r", SHOWN)))
    yield Command("csr-verify", ("csr", "verify", "it.csr"), inputs=("it.csr",))
    yield Command(
        "cert-create", ("cert", "create", "--key", "key.pem", "--subject", "CN=A", "-o", "c"),
        outputs=(("c", SHOWN),))
    yield Command(
        "cert-issue",
        ("cert", "create", "--csr", "it.csr", "--issuer-cert", "ca.pem", "--issuer-key", "ca-key.pem",
         "-o", "c"), inputs=("it.csr", "ca-key.pem"), outputs=(("c", SHOWN),))
    yield Command("identity-list", ("identity", "list"), store="full", says="me:")
    yield Command("identity-pending", ("identity", "pending"), store="full", says="it:")
    yield Command(
        "identity-import", ("identity", "import", "new", *KEY), store="full", before="", after="new")
    yield Command(
        "identity-first", ("identity", "import", "new", *KEY), store="empty", before="",
        after="new")
    yield Command(
        "identity-request",
        ("identity", "request", "new", "--subject", "CN=N", "--type", "ec:P-256", "--no-passphrase",
         "-o", "n.csr"), store="full", after="new pending", outputs=(("n.csr", SHOWN),))
    yield Command(
        "identity-complete", ("identity", "complete", "it.crt"), inputs=("it.crt",), store="full",
        before="it pending", after="it")
    yield Command("identity-remove", ("identity", "remove", "me", "--force"), store="full", before="me")
    yield Command(
        "identity-drop", ("identity", "remove", "it", "--force"), store="full", before="it pending")
    yield Command("hash-digest", ("hash", "digest", "data.bin"), says="data.bin")
    yield Command(
        "hash-sign", ("hash", "sign", "data.bin", "--key", "key.pem", "-o", "s"),
        outputs=(("s", RAW),))
    yield Command(
        "hash-verify", ("hash", "verify", "data.bin", "--signature", "s", "--cert", "cert.pem"),
        inputs=("s",), says="passed")
    yield Command(
        "cms-sign", ("cms", "sign", "data.bin", *KEY, "--attached", "-o", "m"),
        outputs=(("m", ("cms", "verify", "{}", "--trust", "cert.pem")),))
    yield Command(
        "cms-verify", ("cms", "verify", "data.p7m", "--trust", "cert.pem", "-o", "content"),
        inputs=("data.p7m",), outputs=(("content", CONTENT),), says="PASSED")
    yield Command(
        "tsp-request", ("tsp", "request", "data.bin", "-o", "q"), outputs=(("q", SHOWN),))
    yield Command(
        "tsp-respond", ("tsp", "respond", "data.tsq", "--key", "tsa-key.pem", "--cert", "tsa.pem",
                        "--serial-file", "serial", "-o", "a"),
        inputs=("data.tsq", "tsa-key.pem", "tsa.pem"),
        outputs=(("a", STAMP), ("serial", CONTENT)))
    yield Command(
        "tsp-send", ("tsp", "send", "data.tsq", "--tsa", "{tsa}", "--tsa-timeout", "5", "-o", "a"),
        inputs=("data.tsq",), outputs=(("a", STAMP),))
    yield Command(
        "tsp-verify", ("tsp", "verify", "data.tsr", "--content", "data.bin", "--trust", "ca.pem"),
        inputs=("data.tsr",), says="PASSED")
    yield Command(
        "remote-prepare",
        ("remote", "prepare", "letter.pdf", "--cert", "cert.pem", "-o", "p.pdf", "--to-sign", "h"),
        outputs=(("p.pdf", SHOWN), ("h", CONTENT)))
    yield Command(
        "remote-embed", ("remote", "embed", "prepared.pdf", "--signature", "value", "-o", "e.pdf"),
        inputs=("prepared.pdf", "value"), outputs=(("e.pdf", SIGNED),))
    yield Command(
        "container-sign", ("sign", "data.bin", "letter.pdf", *KEY, "--container", "c.asice"),
        outputs=(("c.asice", SIGNED),))
    yield Command(
        "container-add", ("sign", "made.asice", *KEY, "--container", "c.asice"),
        inputs=("made.asice",), outputs=(("c.asice", SIGNED),))
    yield Command(
        "container-timestamp",
        ("timestamp", "data.bin", "--container", "c.asics", "--tsa", "{tsa}", "--tsa-timeout", "5"),
        outputs=(("c.asics", ("verify", "{}", "--trust", "ca.pem")),))
    yield Command(
        "container-verify", ("verify", "made.asice", "--trust", "cert.pem"), inputs=("made.asice",),
        says="PASSED")
    yield Command(
        "container-extract", ("extract", "made.asice", "-o", "out", "--trust", "cert.pem"),
        inputs=("made.asice",), outputs=(("out/data.bin", CONTENT),))
    yield Command(
        "trust-import", ("trust", "update", "--aatl", "settings.xml"), inputs=("settings.xml",),
        says="1 trust anchor")
    yield Command(
        "sign-login",
        ("sign", "letter.pdf", "--key", "csc:{csc}/csc/v2", "--service-client-id", "app",
         "--keep-login", "--key-timeout", "5"),
        store="login", outputs=(("letter.signed.pdf", SIGNED),))


COMMANDS = tuple(_commands())
COMMON = ("letter.pdf", "data.bin", "key.pem", "cert.pem", "ca.pem")


class Kit:
    """A folder with the inputs of all commands, and a time-stamping authority."""

    def __init__(self, signet, folder):
        self.signet, self.folder = signet, folder
        folder.mkdir(parents=True, exist_ok=True)
        vectors = ROOT / "TestVectors"
        shutil.copy(vectors / "pdf/handmade/letter.pdf", folder / "letter.pdf")
        shutil.copy(vectors / "pdf/handmade/letter.pdf", folder / "second.pdf")
        shutil.copy(vectors / "pki/key.pem", folder / "key.pem")
        shutil.copy(vectors / "pki/valid.pem", folder / "cert.pem")
        shutil.copy(vectors / "jpeg/gray.jpg", folder / "photo.jpg")
        (folder / "data.bin").write_bytes(bytes(range(256)) * 16)
        certificate = "".join(
            line for line in (folder / "cert.pem").read_text().splitlines() if "-----" not in line)
        (folder / "settings.xml").write_text(
            "<SecuritySettings><TrustedIdentities><Identity><ImportAction>1</ImportAction>"
            f"<Certificate>{certificate}</Certificate><Trust><Root>1</Root></Trust>"
            "</Identity></TrustedIdentities></SecuritySettings>")
        (folder / "pass").write_text("secret words\n")
        self._make()
        self.server = subprocess.Popen(
            [signet, "tsp", "serve", "--key", "tsa-key.pem", "--cert", "tsa.pem", "--listen", ":0",
             "--serial-file", "serials"], cwd=folder, stdout=subprocess.PIPE, text=True)
        self.tsa = self.server.stdout.readline().split()[-1]
        self._log_in()

    def _log_in(self):
        """Starts a signing service, and stores a login to it."""
        python, lib = ROOT / ".venv/bin/python", ROOT / "Scripts/lib"
        self.service = subprocess.Popen(
            [python, lib / "csc_server.py", "--key", "key.pem", "--cert", "cert.pem", "--browser",
             "app", "--lasting", "1"], cwd=self.folder, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.csc = self.service.stdout.readline().strip()
        login = next(each for each in COMMANDS if each.name == "sign-login")
        self.run(*self.arguments(login), "-o", "login.pdf", env={
            "PATH": "/usr/bin:/bin", "XDG_STATE_HOME": str(self.folder / "login"),
            "BROWSER": f"{python} {lib / 'browser.py'} follow %s"})

    def run(self, *arguments, **options):
        return subprocess.run(
            [self.signet, *arguments], cwd=self.folder, check=True, capture_output=True, **options)

    def _make(self):
        run, folder = self.run, self.folder
        run("sign", "letter.pdf", *KEY, "-o", "signed.pdf")
        data = bytearray((folder / "signed.pdf").read_bytes())
        place = data.index(b"stream\n") + 12
        data[place] ^= 1
        (folder / "tampered.pdf").write_bytes(data)
        run("sign", "data.bin", *KEY)
        run("sign", "data.bin", *KEY, "--container", "made.asice")
        run("cms", "sign", "data.bin", *KEY, "--attached", "-o", "data.p7m")
        run("hash", "sign", "data.bin", "--key", "key.pem", "-o", "s")
        run("key", "convert", "key.pem", "--cert", "cert.pem", "--to", "p12", "-o", "me.p12",
            "--new-passphrase-file", "pass")
        for name in ("ca", "tsa"):
            run("key", "generate", "--type", "ec:P-256", "--no-passphrase", "-o", f"{name}-key.pem")
        run("cert", "create", "--key", "ca-key.pem", "--ca", "--subject", "CN=CA", "-o", "ca.pem")
        run("csr", "create", "--key", "tsa-key.pem", "--subject", "CN=TSA", "-o", "tsa.csr")
        run("cert", "create", "--csr", "tsa.csr", "--profile", "tsa", "--issuer-cert", "ca.pem",
            "--issuer-key", "ca-key.pem", "-o", "tsa.pem")
        run("tsp", "request", "data.bin", "-o", "data.tsq")
        run("tsp", "respond", "data.tsq", "--key", "tsa-key.pem", "--cert", "tsa.pem",
            "--serial-file", "numbers")
        run("remote", "prepare", "letter.pdf", "--cert", "cert.pem", "-o", "prepared.pdf",
            "--to-sign", "hash")
        run("hash", "sign", "hash", "--input", "hash", "--key", "key.pem", "-o", "value")
        store = {"env": {"XDG_DATA_HOME": str(folder / "full"), "PATH": "/usr/bin:/bin"}}
        run("identity", "import", "me", *KEY, **store)
        run("identity", "request", "it", "--subject", "CN=it", "--type", "ec:P-256",
            "--no-passphrase", "-o", "it.csr", **store)
        run("cert", "create", "--csr", "it.csr", "--issuer-cert", "ca.pem", "--issuer-key",
            "ca-key.pem", "-o", "it.crt")
        (folder / "empty").mkdir()

    def lay_out(self, command, work):
        """Fills a new folder with what the command needs."""
        work.mkdir(parents=True)
        for name in COMMON + command.inputs:
            if name.endswith("/"):
                (work / name).mkdir()
            else:
                shutil.copyfile(self.folder / name, work / name)
        if command.name == "sign-in-place":
            shutil.copyfile(self.folder / "letter.pdf", work / "copy.pdf")
        elif command.replaces:
            for name, _ in command.outputs:
                (work / name).write_bytes(b"what was there before")
        shutil.copytree(self.folder / (command.store or "empty"), work / "data")

    def arguments(self, command):
        return [
            argument.replace("{tsa}", self.tsa).replace("{csc}", self.csc)
            for argument in command.arguments]

    def close(self):
        for server in (self.server, self.service):
            server.terminate()
            server.wait()
