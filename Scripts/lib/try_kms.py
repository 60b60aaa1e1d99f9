"""usage: try_kms.py [--signet BINARY]

Signs with the KMS programs of Scripts/examples/kms: each service, its kinds of keys, a wrong token and an
unreachable service. The services are kms_stand_in.py.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import command
from kms_stand_in import TOKEN

PROGRAMS = command.ROOT / "Scripts/examples/kms"
GOOGLE = "projects/p/locations/l/keyRings/r/cryptoKeys/{}/cryptoKeyVersions/1"
# The URI of a key, and the keys that the service has.
KEYS = {
    "vault": ("exec:vault?key={}", ("rsa", "ec", "ed25519")),
    "aws": ("exec:aws?key=alias/{}", ("rsa", "ec")),
    "gcp": (f"exec:gcp?key={GOOGLE}", ("rsa", "ec", "ed25519")),
    "azure": ("exec:azure?key={url}/keys/{}/1", ("rsa", "ec")),
}


class Trial:
    def __init__(self, signet, folder, url):
        self.signet, self.folder, self.url = signet, folder, url
        account = folder / "account.json"
        account.write_text(json.dumps({
            "type": "service_account", "client_email": "signet@example.invalid",
            "token_uri": url + "/token", "private_key": (folder / "rsa.pem").read_text()}))
        self.environment = {
            "PATH": f"{pathlib.Path(sys.executable).parent}:{PROGRAMS}:/usr/bin:/bin", "HOME": str(folder),
            "LC_ALL": "C.UTF-8", "NO_PROXY": "127.0.0.1", "PYTHONDONTWRITEBYTECODE": "1",
            "VAULT_ADDR": url, "VAULT_TOKEN": TOKEN,
            "AWS_ENDPOINT_URL_KMS": url, "AWS_ACCESS_KEY_ID": TOKEN, "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "eu-central-1", "AWS_MAX_ATTEMPTS": "1",
            "SIGNET_GCP_KMS_URL": url, "GOOGLE_APPLICATION_CREDENTIALS": str(account),
            "IDENTITY_ENDPOINT": url + "/token", "IDENTITY_HEADER": "header"}

    def run(self, *arguments, status=0, **environment):
        done = subprocess.run(
            [self.signet, *arguments], cwd=self.folder, capture_output=True, text=True,
            env={**self.environment, **environment})
        if done.returncode != status:
            sys.exit(f"{' '.join(arguments)}: status {done.returncode}, not {status}\n{done.stderr}")
        return done

    def sign(self, service, name, *options, status=0, **environment):
        pattern, _ = KEYS[service]
        uri = pattern.replace("{url}", self.url).format(name)
        if name == "ed25519":
            uri += "&input=message"
        certificate = f"{name}.crt"
        if not (self.folder / certificate).exists():
            # The public key comes from the service.
            self.run("csr", "create", "--key", uri, "--subject", f"CN={name}", "-o", f"{name}.csr")
            self.run("cert", "create", "--csr", f"{name}.csr", "--accept-names", "--issuer-key", "ca.pem",
                     "--issuer-cert", "ca.crt", "-o", certificate)
        done = self.run("sign", "letter.pdf", "--key", uri, "--cert", certificate, "-o", "out.pdf",
                        "--force", *options, status=status, **environment)
        if status == 0:
            self.run("verify", "out.pdf", "--trust", "ca.crt")
        return done

    def whole(self):
        shutil.copy(command.ROOT / "TestVectors/pdf/handmade/letter.pdf", self.folder)
        self.run("key", "generate", "-o", "ca.pem", "--no-passphrase")
        self.run("cert", "create", "--key", "ca.pem", "--subject", "CN=CA", "--ca", "-o", "ca.crt")
        passed = 0
        for service, (_, names) in KEYS.items():
            for name in names:
                # Each service shows its public key.
                (self.folder / f"{name}.crt").unlink(missing_ok=True)
                (self.folder / f"{name}.csr").unlink(missing_ok=True)
                self.sign(service, name)
                passed += 1
            for digest in ("sha384", "sha512"):
                self.sign(service, "rsa", "--digest", digest)
                passed += 1
            if service != "gcp":
                self.sign(service, "rsa", "--padding", "pss")
                passed += 1
            passed += self.refusals(service)
        return passed

    def refusals(self, service):
        wrong = {
            "vault": {"VAULT_TOKEN": "wrong"}, "aws": {"AWS_ACCESS_KEY_ID": "wrong"},
            "gcp": {"GOOGLE_APPLICATION_CREDENTIALS": "missing.json"},
            "azure": {"IDENTITY_ENDPOINT": self.url + "/refused"}}
        nowhere = {
            "vault": {"VAULT_ADDR": "http://127.0.0.1:1"}, "gcp": {"SIGNET_GCP_KMS_URL": "http://127.0.0.1:1"},
            "aws": {"AWS_ENDPOINT_URL_KMS": "http://127.0.0.1:1"}}
        done = self.sign(service, "rsa", status=77, **wrong[service])
        if TOKEN in done.stderr:
            sys.exit(f"{service}: the token is in the message")
        if service in nowhere:
            self.sign(service, "rsa", status=69, **nowhere[service])
        return 1 + (service in nowhere)


def main():
    options = command.parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server = subprocess.Popen(
            [sys.executable, pathlib.Path(__file__).with_name("kms_stand_in.py"), folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            passed = Trial(options.signet, folder, server.stdout.readline().strip()).whole()
        finally:
            server.stdin.close()
            server.wait()
    print(f"KMS programs: {passed} passed, 0 failed")


if __name__ == "__main__":
    main()
