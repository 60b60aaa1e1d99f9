"""Shared by the programs signet-key-aws, -azure, -gcp and -vault: Signet's call, and HTTP with JSON."""

import base64
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

USAGE, UNREACHABLE, TRY_AGAIN, REFUSED = 64, 69, 75, 77
TIMEOUT = 20
KEY = os.environ.get("SIGNET_KEY", "")
ALGORITHM = os.environ.get("SIGNET_ALGORITHM", "")
DIGEST = os.environ.get("SIGNET_DIGEST", "")
IS_MESSAGE = os.environ.get("SIGNET_INPUT") == "message"


def fail(status, problem):
    print(f"{os.path.basename(sys.argv[0])}: {problem}", file=sys.stderr)
    sys.exit(status)


def parameter(name, default=""):
    """The parameter `name` of `--key exec:PROGRAM?name=...`."""
    return os.environ.get("SIGNET_KEY_" + name.upper(), default)


def choose(table):
    """The name that the service uses for the requested algorithm."""
    name = table.get((ALGORITHM, DIGEST)) or table.get(ALGORITHM)
    return name or fail(USAGE, f"unsupported algorithm: {ALGORITHM} with {DIGEST}")


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would send the token to another address."""

    def redirect_request(self, *_):
        return None


def call(url, headers, question=None, context=None):
    """Sends JSON (POST), or nothing (GET), and returns the JSON of the answer."""
    address = urllib.parse.urlsplit(url)
    if address.scheme != "https" and address.hostname not in ("127.0.0.1", "localhost", "::1"):
        fail(USAGE, f"the address must begin with https: {url}")
    body = None if question is None else json.dumps(question).encode()
    request = urllib.request.Request(
        url, data=body, headers={**headers, "Content-Type": "application/json"})
    handlers = [NoRedirects, *([urllib.request.HTTPSHandler(context=context)] if context else [])]
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=TIMEOUT) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        status = {401: REFUSED, 403: REFUSED, 400: USAGE, 404: USAGE}.get(error.code, TRY_AGAIN)
        fail(status, f"{url}: status {error.code}: {error.read(500).decode(errors='replace')}")
    except (OSError, ValueError) as error:
        fail(UNREACHABLE, f"{url}: {error}")


def run(sign, public_key):
    """`sign` returns the signature (bytes) of what it receives; `public_key` returns PEM."""
    if not KEY:
        fail(USAGE, "no key: use --key 'exec:NAME?key=KEY'")
    what = sys.argv[1] if len(sys.argv) == 2 else ""
    if what == "sign":
        sys.stdout.buffer.write(sign(sys.stdin.buffer.read()))
    elif what == "public-key":
        print(public_key().strip())
    else:
        # The services keep keys, not certificates: add --cert FILE.
        sys.exit(USAGE)


def encode(data):
    return base64.b64encode(data).decode()


def decode(text):
    return base64.b64decode(text)
