"""usage: browser.py WAY URL

The browser of the tests, given as $BROWSER: opens the page that leads to the page of consent of
csc_server.py, and follows its redirect. WAY is follow; guess (first redirects with other states, paths and methods, as other
programs could); thief (exchanges the code at the token endpoint before it follows); idle; or fail.
Appends its arguments and the answers to the file `browser.log`.

usage: browser.py paste-url|paste-code|paste-other COMMAND...

Runs COMMAND on a terminal, opens the addresses that it shows, and types the redirect's URL, its code
only, or the URL with another state. Prints what the terminal showed and the exit code.
"""

import http.client
import os
import pty
import re
import sys
import urllib.error
import urllib.parse
import urllib.request


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), Stay)


def fetch(url, data=None, method=None):
    """Status, text and redirect target."""
    request = urllib.request.Request(url, data, method=method)
    try:
        with OPENER.open(request, timeout=30) as answer:
            return answer.status, answer.read().decode(), ""
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), error.headers.get("Location", "")
    except (OSError, http.client.HTTPException) as error:
        return 0, str(error), ""


def paste(what, command):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    shown, seen = b"", 0
    while True:
        try:
            shown += os.read(terminal, 4096)
        except OSError:
            break
        asked = re.search(rb"in a browser: (\S+).*\(input is hidden\): ", shown[seen:], re.S)
        if asked:
            seen = len(shown)
            target = fetch(asked[1].decode())[2]
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(target).query)
            text = {
                "paste-url": target, "paste-code": query["code"][0],
                "paste-other": re.sub("state=[^&]*", "state=x", target)}[what]
            os.write(terminal, text.encode() + b"\n")
    print(shown.decode())
    print("exit", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def main():
    if sys.argv[1].startswith("paste"):
        return paste(sys.argv[1], sys.argv[2:])
    way, url = sys.argv[1:]
    if way == "fail":
        sys.exit(3)
    with open("browser.log", "a", buffering=1) as log:
        print("argv", *sys.argv, file=log)
        if way == "idle":
            return
        entrance = url
        status, text, url = fetch(entrance)
        print("entrance", status, fetch(entrance)[0], file=log)
        status, text, target = fetch(url)
        print("consent", status, text if not target else "", file=log)
        place = target.split("?")[0]
        if way == "guess":
            for other, method in (
                    (place + "?code=stolen&state=guess", "GET"), (place + "?code=stolen", "GET"),
                    (place + "?error=access_denied", "GET"), (place, "GET"),
                    (place + "/x?" + target.split("?")[1], "GET"), (target, "HEAD"),
                    (target, "POST")):
                print("guess", method, fetch(other, b"" if method == "POST" else None, method)[0],
                      file=log)
        if way == "thief":
            code = urllib.parse.parse_qs(urllib.parse.urlsplit(target).query)["code"][0]
            form = {
                "grant_type": "authorization_code", "code": code, "redirect_uri": place,
                "client_id": "app", "code_verifier": "a" * 43}
            token = urllib.parse.urljoin(url, "/oauth2/token")
            print("thief", fetch(token, urllib.parse.urlencode(form).encode())[0], file=log)
        if target:
            print("page", *fetch(target)[:2], file=log)
            print("again", fetch(target)[0], file=log)


if __name__ == "__main__":
    main()
