"""usage: kms_stand_in.py FOLDER

The signing requests of four services as their documents describe them: Vault's transit engine, AWS
KMS, Google Cloud KMS and Azure Key Vault. Prints its address as one line and ends when its standard
input does. Writes rsa.pem and ec.pem (private keys) and ed25519.pem to FOLDER; the keys have these
names at each service. TOKEN is the only token; a request without it is refused as the service does.
"""

import base64
import hashlib
import json
import pathlib
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

TOKEN = "stand-in-token"
HASHES = {"sha256": hashes.SHA256(), "sha384": hashes.SHA384(), "sha512": hashes.SHA512()}
KEYS = {
    "rsa": rsa.generate_private_key(65537, 2048), "ec": ec.generate_private_key(ec.SECP256R1()),
    "ed25519": ed25519.Ed25519PrivateKey.generate(),
}
Encoding, Format = serialization.Encoding, serialization.PublicFormat


class Refusal(Exception):
    def __init__(self, status, answer):
        super().__init__(status)
        self.status, self.answer = status, answer


def signed(name, data, digest, scheme, is_message=False):
    key = KEYS[name]
    if name == "ed25519":
        return key.sign(data)
    if is_message:
        data = hashlib.new(digest, data).digest()
    algorithm = utils.Prehashed(HASHES[digest])
    if name == "ec":
        return key.sign(data, ec.ECDSA(algorithm))
    salted = padding.PSS(padding.MGF1(HASHES[digest]), HASHES[digest].digest_size)
    return key.sign(data, salted if scheme == "pss" else padding.PKCS1v15(), algorithm)


def public(name, encoding=Encoding.PEM, form=Format.SubjectPublicKeyInfo):
    return KEYS[name].public_key().public_bytes(encoding, form)


def plain(data):
    return base64.b64encode(data).decode()


def url_safe(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def vault(path, question, headers):
    if headers["X-Vault-Token"] != TOKEN:
        raise Refusal(403, {"errors": ["permission denied"]})
    if match := re.fullmatch(r"/v1/transit/keys/(\w+)", path):
        name = match[1]
        shown = plain(public(name, Encoding.Raw, Format.Raw)) if name == "ed25519" else public(name).decode()
        return {"data": {"name": name, "latest_version": 1, "keys": {"1": {"public_key": shown}}}}
    _, name, _, digest = re.fullmatch(r"/v1/transit/(sign)/(\w+)(/sha2-(\d+))?", path).groups()
    assert question["prehashed"] or name == "ed25519"
    assert name != "ec" or question["marshaling_algorithm"] == "asn1"
    made = signed(name, base64.b64decode(question["input"]), f"sha{digest}",
                  question.get("signature_algorithm"))
    return {"data": {"signature": "vault:v1:" + plain(made), "key_version": 1}}


def aws(question, headers):
    if "Credential=" + TOKEN not in headers["Authorization"]:
        raise Refusal(400, {"__type": "UnrecognizedClientException",
                            "message": "The security token included in the request is invalid."})
    name = question["KeyId"].removeprefix("alias/")
    if headers["X-Amz-Target"] == "TrentService.GetPublicKey":
        return {"KeyId": name, "PublicKey": plain(public(name, Encoding.DER))}
    assert headers["X-Amz-Target"] == "TrentService.Sign"
    scheme, size = re.fullmatch(
        r"(RSASSA_PKCS1_V1_5|RSASSA_PSS|ECDSA)_SHA_(\d+)", question["SigningAlgorithm"]).groups()
    made = signed(name, base64.b64decode(question["Message"]), f"sha{size}",
                  "pss" if scheme == "RSASSA_PSS" else "", question["MessageType"] == "RAW")
    return {"KeyId": name, "Signature": plain(made), "SigningAlgorithm": question["SigningAlgorithm"]}


def google(path, question, headers):
    if headers["Authorization"] != f"Bearer {TOKEN}":
        raise Refusal(401, {"error": {"code": 401, "status": "UNAUTHENTICATED"}})
    name, action = re.fullmatch(
        r"/v1/projects/p/locations/l/keyRings/r/cryptoKeys/(\w+)/cryptoKeyVersions/1"
        r"(:asymmetricSign|/publicKey)", path).groups()
    if action == "/publicKey":
        return {"pem": public(name).decode(), "protectionLevel": "HSM"}
    (digest, data), = question.get("digest", {"": question.get("data")}).items()
    return {"signature": plain(signed(name, base64.b64decode(data), digest, ""))}


def azure(url, question, headers):
    if headers["Authorization"] != f"Bearer {TOKEN}":
        raise Refusal(401, {"error": {"code": "Unauthorized"}})
    assert parse_qs(url.query)["api-version"] == ["7.4"]
    name, action = re.fullmatch(r"/keys/(\w+)/1(/sign)?", url.path).groups()
    numbers = KEYS[name].public_key().public_numbers()
    if not action:
        length = {"n": 256, "e": 3, "x": 32, "y": 32}
        parts = {"kty": "RSA-HSM"} if name == "rsa" else {"kty": "EC-HSM", "crv": "P-256"}
        parts |= {part: url_safe(getattr(numbers, part).to_bytes(length[part]))
                  for part in "nexy" if hasattr(numbers, part)}
        return {"key": parts}
    scheme, size = question["alg"][:2], question["alg"][2:]
    digest = base64.urlsafe_b64decode(question["value"] + "==")
    made = signed(name, digest, f"sha{size}", "pss" if scheme == "PS" else "")
    if name == "ec":
        made = b"".join(part.to_bytes(32) for part in utils.decode_dss_signature(made))
    return {"kid": url.path, "value": url_safe(made)}


class Handler(BaseHTTPRequestHandler):
    def answer(self):
        length = int(self.headers["Content-Length"] or 0)
        body = self.rfile.read(length)
        url = urlsplit(self.path)
        try:
            if url.path == "/token":
                # Google's exchange of a signed claim (RFC 7523), and Azure's managed identity.
                shown = {"access_token": TOKEN, "token_type": "Bearer", "expires_in": 3600,
                         "expires_on": "4102444800", "resource": "https://vault.azure.net"}
            else:
                question = json.loads(body) if body else None
                shown = (aws(question, self.headers) if "X-Amz-Target" in self.headers
                         else vault(url.path, question, self.headers) if "X-Vault-Token" in self.headers
                         else google(url.path, question, self.headers) if url.path.startswith("/v1/")
                         else azure(url, question, self.headers))
            status = 200
        except Refusal as refusal:
            status, shown = refusal.status, refusal.answer
        text = json.dumps(shown).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, key in KEYS.items():
        (folder / f"{name}.pem").write_bytes(key.private_bytes(
            Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
