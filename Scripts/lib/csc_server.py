"""usage: csc_server.py --key KEY --cert CHAIN [OPTION...]

A signing service for tests: the API of the Cloud Signature Consortium, v1.0.4 and v2.0 side by side,
that misbehaves on request. Prints its address as one line and ends when its standard input does. The
log has a line of JSON for each request, so that attempts can be counted; no secret is in it.

--fault takes words METHOD[#N]=FAULT, for the Nth request or every one: a status, with `;after=S` for
Retry-After; hang:S, html, to:URL, echo (400 with the request), login-echo, crlf:KEY; of signHash flip, short, swap, otherkey.

--browser ID[:SECRET] offers the authorization code flow with PKCE for that client; with --mode oauth2code
it also authorizes credentials. The page of consent is `page`, whose faults are deny, state, issuer, twice
and expired. --lasting 1 accepts refresh tokens several times. --metadata URL is the issuer in the metadata
(RFC 8414), `own` the right one; --oauth2 URL is the base URI in `info`. --issued FILE collects all codes and tokens, so that tests can look for them.
"""

import argparse
import base64
import hashlib
import json
import re
import secrets
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

OPTIONS = {
    "key": None, "cert": None, "scal": 2, "multisign": 10, "pin": None, "otp": None,
    "login": None, "client": None, "token": None, "mode": None, "status": "enabled",
    "cert-status": "valid", "credentials": "test", "pending": 0, "raw": 0, "algorithms": None,
    "fault": "", "log": None, "ttl": 300, "browser": None, "metadata": None, "oauth2": None,
    "token-url": None, "issued": None, "lasting": 0,
}
SHA2 = {
    "2.16.840.1.101.3.4.2.1": hashes.SHA256(), "2.16.840.1.101.3.4.2.2": hashes.SHA384(),
    "2.16.840.1.101.3.4.2.3": hashes.SHA512(),
}
PKCS1 = "1.2.840.113549.1.1."
RSA_ALGORITHMS = {
    PKCS1 + "1": None, PKCS1 + "10": None, PKCS1 + "11": hashes.SHA256(),
    PKCS1 + "12": hashes.SHA384(), PKCS1 + "13": hashes.SHA512(),
}
EC_ALGORITHMS = {
    "1.2.840.10045.4.3.2": hashes.SHA256(), "1.2.840.10045.4.3.3": hashes.SHA384(),
    "1.2.840.10045.4.3.4": hashes.SHA512(),
}
METHODS = re.compile(r"/csc/(v[12])/(\w+(?:/\w+)?)|/(oauth2/token)")


class Refusal(Exception):
    def __init__(self, text, error="invalid_request", status=400):
        super().__init__(text)
        self.status, self.answer = status, {"error": error, "error_description": text}


class Service:
    """What is the same for all requests."""

    def __init__(self, options):
        self.options = options
        with open(options.key, "rb") as file:
            self.key = serialization.load_pem_private_key(file.read(), None)
        with open(options.cert, "rb") as file:
            self.certificates = [
                base64.b64encode(c.public_bytes(serialization.Encoding.DER)).decode()
                for c in x509.load_pem_x509_certificates(file.read())]
        self.is_rsa = isinstance(self.key, rsa.RSAPrivateKey)
        known = RSA_ALGORITHMS if self.is_rsa else EC_ALGORITHMS
        named = options.algorithms.split(",") if options.algorithms else known
        self.algorithms = {name: known[name] for name in named}
        guarded = options.pin or options.otp
        self.mode = options.mode or ("explicit" if guarded else "implicit")
        self.secrets = [
            (name, value) for name, value in (("PIN", options.pin), ("OTP", options.otp)) if value]
        self.lock = threading.Lock()
        self.counts, self.activations, self.pending = {}, {}, {}
        self.tokens = {options.token} if options.token else set()
        self.codes, self.refresh = {}, set()
        self.wrong = 0

    def fault(self, method):
        """Counts a request; returns its number and what is to go wrong with it."""
        with self.lock:
            number = self.counts[method] = self.counts.get(method, 0) + 1
        found = re.search(rf"(?:^|\s){method}(?:#{number})?=(\S+)", self.options.fault)
        return number, found[1] if found else ""

    def log(self, **entry):
        if self.options.log:
            with self.lock, open(self.options.log, "a") as file:
                file.write(json.dumps(entry) + "\n")

    # Methods of the API: version, question -> status, answer

    def info(self, version, host):
        kinds = {
            "basic": self.options.login, "oauth2client": self.options.client,
            "oauth2code": self.options.browser}
        answer = {
            "specs": "1.0.4.0" if version == "v1" else "2.0.0.0", "name": "Test", "region": "CZ",
            "authType": [kind for kind, is_offered in kinds.items() if is_offered] or ["external"]}
        if self.options.client or self.options.browser:
            answer["oauth2"] = self.options.oauth2 or f"http://{host}/"
        return 200, answer

    # The authorization code flow

    def issue(self):
        value = secrets.token_urlsafe(24)
        if self.options.issued:
            with self.lock, open(self.options.issued, "a") as file:
                file.write(value + "\n")
        return value

    def describe_server(self, host):
        """RFC 8414."""
        if not self.options.metadata:
            raise Refusal("no metadata", status=404)
        own = f"http://{host}"
        return 200, {
            "issuer": own if self.options.metadata == "own" else self.options.metadata,
            "authorization_endpoint": own + "/oauth2/authorize",
            "token_endpoint": self.options.token_url or own + "/oauth2/token",
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True}

    def consent(self, query, host, fault):
        """The redirect after the user consented (RFC 6749 4.1.2)."""
        asked = {name: values[0] for name, values in parse_qs(query).items()}
        if asked.get("client_id") != (self.options.browser or "").split(":")[0]:
            raise Refusal("unknown client")
        if asked.get("response_type") != "code" or asked.get("code_challenge_method") != "S256":
            raise Refusal("not the code flow with PKCE")
        count, bound = None, None
        if "authorization_details" in asked:
            (details,) = json.loads(asked["authorization_details"])
            if details["type"] != "credential" or details["hashAlgorithmOID"] not in SHA2:
                raise Refusal("unknown authorization details")
            bound = [each["hash"] for each in details["documentDigests"]]
            credential, count = details["credentialID"], len(bound)
        elif asked.get("scope") == "credential":
            plain = (asked.get("hash") or asked["hashes"]).split(",")
            bound = [
                base64.b64encode(base64.urlsafe_b64decode(each + "=" * (-len(each) % 4))).decode()
                for each in plain]
            credential, count = asked["credentialID"], int(asked["numSignatures"])
        elif asked.get("scope") != "service":
            raise Refusal("unknown scope", "invalid_scope")
        if count is not None and (
                count != len(bound) or count > self.options.multisign
                or credential not in self.options.credentials.split(",")):
            raise Refusal("this cannot be authorized")
        answer = {"state": asked["state"]}
        if fault == "deny":
            answer |= {"error": "access_denied", "error_description": "The user said no"}
        else:
            code = self.issue()
            end = time.time() + (-1 if fault == "expired" else 60)
            self.codes[code] = (asked["redirect_uri"], asked["code_challenge"], count, bound, end)
            answer["code"] = code
        if fault == "state":
            answer["state"] = "another"
        if self.options.metadata or fault == "issuer":
            answer["iss"] = "http://evil.example" if fault == "issuer" else f"http://{host}"
        text = urlencode(answer) + ("&state=again" if fault == "twice" else "")
        self.log(method="consent", n=0, signatures=count, hashes=bound and len(bound))
        return asked["redirect_uri"] + "?" + text

    def exchange(self, form):
        """The token endpoint for codes and refresh tokens (RFC 6749 4.1.3, 6)."""
        count, bound = None, None
        if form.get("grant_type") == ["refresh_token"]:
            (token,) = form["refresh_token"]
            if token not in self.refresh:
                raise Refusal("the refresh token is not valid", "invalid_grant")
            if not self.options.lasting:
                self.refresh.remove(token)
        else:
            entry = self.codes.pop(form.get("code", [""])[0], None)
            challenge = base64.urlsafe_b64encode(hashlib.sha256(
                form.get("code_verifier", [""])[0].encode()).digest()).decode().rstrip("=")
            if not entry or entry[0] != form["redirect_uri"][0] or entry[1] != challenge:
                raise Refusal("the code is not valid", "invalid_grant")
            _, _, count, bound, end = entry
            if end < time.time():
                raise Refusal("the code has expired", "invalid_grant")
        token = self.issue()
        answer = {"access_token": token, "token_type": "Bearer", "expires_in": self.options.ttl}
        if count is None:
            self.tokens.add(token)
            answer["refresh_token"] = self.issue()
            self.refresh.add(answer["refresh_token"])
        else:
            self.activations[token] = [count, bound, time.time() + self.options.ttl]
            answer["token_type"] = "SAD"
        return 200, answer

    def token(self, is_known, status):
        if not is_known:
            raise Refusal("who is that?", "authentication_error", status)
        token = secrets.token_urlsafe(24)
        self.tokens.add(token)
        return 200, {"access_token": token, "token_type": "Bearer", "expires_in": self.options.ttl}

    def describe(self, version, question):
        key = {
            "status": self.options.status, "algo": list(self.algorithms),
            "len": self.key.key_size}
        answer = {
            "key": key, "multisign": self.options.multisign, "SCAL": str(self.options.scal)}
        which = question.get("certificates", "single")
        if which != "none":
            shown = self.certificates if which == "chain" else self.certificates[:1]
            answer["cert"] = {"status": self.options.cert_status, "certificates": shown}
        if version == "v1":
            answer["authMode"] = self.mode
            for name, value in (("PIN", self.options.pin), ("OTP", self.options.otp)):
                answer[name] = {"presence": "true" if value else "false", "label": name}
        else:
            answer["auth"] = {"mode": self.mode, "objects": [
                {"type": "Password", "id": name, "format": "N", "label": name}
                for name, _ in self.secrets]}
        return 200, answer

    def authorize(self, version, question):
        count = question.get("numSignatures")
        if not isinstance(count, int):
            raise Refusal("Missing (or invalid type) integer parameter numSignatures")
        if count > self.options.multisign:
            raise Refusal("Numbers of signatures is too high")
        bound = question.get("hash" if version == "v1" else "hashes")
        if self.options.scal == 2 and (not bound or len(bound) != count):
            raise Refusal("Missing (or invalid type) array parameter hash")
        given = question if version == "v1" else {
            each["id"]: each.get("value") for each in question.get("authData", [])}
        if self.wrong >= 3:
            raise Refusal("PIN locked" if version == "v1" else "Credential locked")
        for name, value in self.secrets:
            if given.get(name) != value:
                self.wrong += 1
                raise Refusal(
                    f"The {name} is invalid",
                    f"invalid_{name.lower()}" if version == "v1"
                    else "invalid_authentication_data")
        self.wrong = 0
        data = secrets.token_urlsafe(24)
        self.activations[data] = [count, bound, time.time() + self.options.ttl]
        if self.options.pending and version == "v2":
            self.pending[data] = self.options.pending
            return 202, {"handle": data}
        return 200, {"SAD": data, "expiresIn": self.options.ttl}

    def check(self, question):
        handle = question.get("handle")
        if handle not in self.pending:
            raise Refusal("Invalid parameter handle")
        self.pending[handle] -= 1
        return (202, {"handle": handle}) if self.pending[handle] > 0 else (200, {"SAD": handle})

    def sign(self, version, question, fault):
        old = version == "v1"
        wanted = question.get("hash" if old else "hashes")
        activation = self.activations.get(question.get("SAD"))
        if not isinstance(wanted, list) or not wanted:
            raise Refusal("Empty hash array")
        if not activation:
            raise Refusal("Invalid parameter SAD")
        if activation[2] < time.time():
            raise Refusal("SAD expired")
        if activation[1] is not None and not set(wanted) <= set(activation[1]):
            raise Refusal("Hash is not authorized by the SAD")
        if len(wanted) > activation[0]:
            raise Refusal("Numbers of signatures is too high")
        activation[0] -= len(wanted)
        algorithm = question.get("signAlgo")
        if algorithm not in self.algorithms:
            raise Refusal("Invalid parameter signAlgo")
        digest = self.algorithms[algorithm] or SHA2.get(
            question.get("hashAlgo" if old else "hashAlgorithmOID"))
        if digest is None:
            raise Refusal("Missing (or invalid type) string parameter hashAlgorithmOID")
        if algorithm == PKCS1 + "10" and not question.get("signAlgoParams"):
            raise Refusal("Missing (or invalid type) string parameter signAlgoParams")
        key = self.other_key() if fault == "otherkey" else self.key
        signatures = [
            self.value(key, base64.b64decode(each), algorithm, digest) for each in wanted]
        if fault == "flip":
            signatures = [each[:-1] + bytes([each[-1] ^ 1]) for each in signatures]
        signatures = {"short": signatures[:-1], "swap": signatures[::-1]}.get(fault, signatures)
        return 200, {"signatures": [base64.b64encode(each).decode() for each in signatures]}

    def other_key(self):
        if self.is_rsa:
            return rsa.generate_private_key(65537, self.key.key_size)
        return ec.generate_private_key(self.key.curve)

    def value(self, key, hash_value, algorithm, digest):
        if len(hash_value) != digest.digest_size:
            raise Refusal("Invalid digest value length")
        hashed = utils.Prehashed(digest)
        if not self.is_rsa:
            der = key.sign(hash_value, ec.ECDSA(hashed))
            if not self.options.raw:
                return der
            size = (key.key_size + 7) // 8
            return b"".join(n.to_bytes(size, "big") for n in utils.decode_dss_signature(der))
        if algorithm == PKCS1 + "10":
            kind = padding.PSS(padding.MGF1(digest), digest.digest_size)
        else:
            kind = padding.PKCS1v15()
        return key.sign(hash_value, kind, hashed)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service = None

    def log_message(self, *_):
        pass

    def reply(self, status, answer, headers=()):
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        kind = "text/html" if isinstance(answer, bytes) else "application/json;charset=UTF-8"
        for name, value in (
                ("Content-Type", kind), ("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        parts = urlsplit(self.path)
        names = {
            "/oauth2/authorize": "page", "/.well-known/oauth-authorization-server": "metadata"}
        name = names.get(parts.path, "?")
        number, fault = self.service.fault(name)
        self.service.log(method=name, n=number)
        if self.handle_fault(fault):
            return
        try:
            if name == "page":
                target = self.service.consent(parts.query, self.headers["Host"], fault)
                self.reply(302, {}, [("Location", target)])
            elif name == "metadata":
                self.reply(*self.service.describe_server(self.headers["Host"]))
            else:
                raise Refusal("unknown page", status=404)
        except Refusal as refusal:
            self.reply(refusal.status, refusal.answer)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        found = METHODS.fullmatch(self.path)
        version, name = (found[1] or "v2", found[2] or found[3]) if found else ("", "?")
        method = name.split("/")[-1]
        number, fault = self.service.fault(method)
        scheme = (self.headers.get("Authorization") or "").split(" ")[0]
        # Before the answer: who has that may look at once.
        self.service.log(method=method, n=number, v=version, auth=scheme)
        if fault in ("echo", "login-echo"):
            said = body if fault == "echo" else (self.headers.get("Authorization") or "").encode()
            self.reply(400, {"error": "bad", "error_description": "got " + said.decode()})
            return
        if self.handle_fault(fault):
            return
        try:
            status, answer = self.answer(version, name, body, fault)
            if fault.startswith("crlf:") and fault[5:] in answer:
                answer[fault[5:]] += "\r\nX-Injected: 1"
        except Refusal as refusal:
            status, answer = refusal.status, refusal.answer
        self.reply(status, answer)

    def handle_fault(self, fault):
        """Whether there was an answer, wrong by request; else the request is to be read."""
        if fault.startswith("hang"):
            time.sleep(float(fault[5:] or 3600))
        if fault[:3].isdigit():
            after = re.search(r"after=(\d+)", fault)
            self.reply(
                int(fault[:3]), {"error": "temporarily_unavailable"},
                [("Retry-After", after[1])] if after else [])
            return True
        if fault.startswith("to:"):
            self.reply(302, {}, [("Location", fault[3:])])
            return True
        if fault == "html":
            self.reply(200, b"<html>login page</html>")
            return True
        return False

    def is_basic(self, expected, is_form=False):
        """is_form: whether name and secret are encoded as in forms (RFC 6749 2.3.1)."""
        header = self.headers.get("Authorization") or ""
        if not expected or not header.startswith("Basic "):
            return False
        given = base64.b64decode(header[6:]).decode()
        return (unquote_plus(given) if is_form else given) == expected

    def require_token(self):
        options = self.service.options
        header = self.headers.get("Authorization") or ""
        if (options.login or options.client or options.token or options.browser) and not (
                header.startswith("Bearer ") and header[7:] in self.service.tokens):
            raise Refusal("the access token is not valid", "invalid_token", 401)

    def answer(self, version, name, body, fault):
        service = self.service
        if name == "?":
            raise Refusal("unknown method", status=404)
        if name == "oauth2/token":
            form = parse_qs(body.decode())
            is_grant = form.get("grant_type") == ["client_credentials"]
            if not is_grant and service.options.browser:
                name, _, secret = service.options.browser.partition(":")
                if form.get("client_id") != [name] or (
                        secret and not self.is_basic(service.options.browser, is_form=True)):
                    raise Refusal("who is that?", "invalid_client", 401)
                return service.exchange(form)
            return service.token(is_grant and self.is_basic(service.options.client, is_form=True), 401)
        try:
            question = json.loads(body or b"{}")
        except ValueError:
            raise Refusal("not JSON") from None
        if name == "info":
            return service.info(version, self.headers["Host"])
        if name == "auth/login":
            return service.token(self.is_basic(service.options.login), 400)
        self.require_token()
        ids = service.options.credentials.split(",")
        if name == "credentials/list":
            if fault == "pages" and not question.get("pageToken"):
                return 200, {"credentialIDs": [], "nextPageToken": "2"}
            return 200, {"credentialIDs": ids}
        if name == "credentials/authorizeCheck":
            return service.check(question)
        if question.get("credentialID") not in ids:
            raise Refusal("Invalid parameter credentialID")
        if name == "credentials/info":
            return service.describe(version, question)
        if name == "credentials/authorize":
            return service.authorize(version, question)
        if name == "signatures/signHash":
            return service.sign(version, question, fault)
        raise Refusal("not implemented", status=501)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name, value in OPTIONS.items():
        parser.add_argument(
            f"--{name}", default=value, type=int if isinstance(value, int) else str)
    Handler.service = Service(parser.parse_args())
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
