#!/usr/bin/env python3
"""usage: report_judge.py FILE.html...

Looks at reports for people with other eyes: html5lib must read them without an error, nothing in them may
run or fetch anything, and Chromium must show them without scrolling sideways at the widths of a desk
and of a phone, ask no server for anything, and print all that they say. What is wrong is printed,
a line each; the exit code is 1 then.
"""

import http.server
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import html5lib

CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions",
            "--disable-background-networking", "--allow-file-access-from-files",
            "--no-pdf-header-footer"]
WIDTHS = (1280, 390)
# What a page says of itself, seen from a page around it.
PROBE = """<!DOCTYPE html><html><body><pre id="out"></pre>
<script>
const out = [];
let left = WIDTHS.length;
function probe(frame, width) {
  const page = frame.contentDocument, root = page.documentElement;
  out.push(`${width} ${root.scrollWidth} ` + page.scripts.length + " "
    + frame.contentWindow.performance.getEntriesByType("resource")
        .filter(one => !one.name.startsWith("data:")).length);
  if (--left === 0) document.getElementById("out").textContent = out.join("\\n");
}
for (const width of WIDTHS) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `border:0;width:${width}px;height:2000px`;
  frame.onload = () => probe(frame, width);
  frame.src = "URL";
  document.body.append(frame);
}
</script></body></html>
"""


def markup(text):
    """What of the markup could run or fetch something, or is no HTML."""
    try:
        page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    except html5lib.html5parser.ParseError as error:
        yield f"no HTML: {error}"
        return
    seen = set()
    for element in page.iter():
        if not isinstance(element.tag, str):
            continue
        name = element.tag.rpartition("}")[2]
        if name in ("script", "link", "iframe", "object", "embed", "base", "form", "a"):
            yield f"there is <{name}>"
        for key, value in element.attrib.items():
            key = str(key).lower()
            if key.startswith("on") or key == "href" or (
                    key == "src" and not value.startswith("data:image/png;base64,")):
                yield f"<{name} {key}={value[:40]}>"
            if key == "id":
                if value in seen:
                    yield f"two elements of the id {value}"
                seen.add(value)
    if not page.get("lang") or page.get("dir") not in ("ltr", "rtl"):
        yield "no language or direction"


def shown(file, folder):
    """What Chromium makes of it."""
    probe = folder / "probe.html"
    probe.write_text(
        PROBE.replace("WIDTHS", str(list(WIDTHS))).replace("URL", file.resolve().as_uri()))
    run = subprocess.run(
        [*CHROMIUM, f"--user-data-dir={folder}/profile", "--virtual-time-budget=5000", "--dump-dom",
         probe.as_uri()], capture_output=True, text=True, timeout=120)
    lines = re.search(r'<pre id="out">([^<]+)</pre>', run.stdout)
    if not lines:
        yield "Chromium does not show it"
        return
    for line in lines[1].split("\n"):
        width, needed, scripts, fetched = map(int, line.split())
        if needed > width:
            yield f"needs {needed} pixels of {width}"
        if scripts or fetched:
            yield f"{scripts} scripts, {fetched} things fetched"


def printed(file, text, folder):
    """What is on the screen and not on paper."""
    paper = folder / "paper.pdf"
    subprocess.run(
        [*CHROMIUM, f"--user-data-dir={folder}/profile", f"--print-to-pdf={paper}",
         file.resolve().as_uri()], capture_output=True, timeout=120, check=True)
    words = subprocess.run(["pdftotext", paper, "-"], capture_output=True, text=True, check=True)
    found = "".join(words.stdout.split())
    for digest in set(re.findall(r"\b[0-9a-f]{64}\b", text)):
        if digest not in found:
            yield f"does not print {digest[:16]}..."


def main():
    # Who fetches anything from here is noticed.
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    wrong = 0
    for name in sys.argv[1:]:
        file = pathlib.Path(name)
        text = file.read_text(encoding="utf-8")
        found = list(markup(text))
        if shutil.which(CHROMIUM[0]):
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                # The same page, with addresses of this server for those that its names hold.
                live = folder / "live.html"
                live.write_text(re.sub(r"(127\.0\.0\.1|localhost):9\b", rf"\1:{server.server_port}", text),
                                encoding="utf-8")
                found += [*shown(live, folder), *printed(live, text, folder)]
        found += [f"asked for {path}" for path in asked]
        for fault in found:
            print(f"{name}: {fault}")
        wrong += bool(found)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
