"""Compares what the program answers with what a case expects."""

import concurrent.futures
import dataclasses
import json
import os
import re
import subprocess

import check_json
from attacks import viewer

# A verification that takes longer is a finding of its own.
SECONDS = 20


class Judge:
    """Runs the program on cases, and says what is wrong with its answers."""

    def __init__(self, kit, folder):
        self.kit, self.folder = kit, folder

    def write(self, case):
        path = self.folder / (case.name + case.suffix)
        path.write_bytes(case.data)
        if case.content is not None:
            path.with_name(path.name + ".content").write_bytes(case.content)
        return path

    def verify(self, case):
        """(exit code, sub-indications, the answer, complaint or None, standard error)."""
        path = self.write(case)
        arguments = [self.kit.signet, *case.command, path, "--json"]
        if "--trust" not in case.options and case.command[0] in ("verify", "cms"):
            arguments += ["--trust", self.kit.trust]
        if case.content is not None:
            arguments += ["--content", f"{path}.content"]
        try:
            done = subprocess.run(
                [*map(str, arguments), *map(str, case.options)], capture_output=True,
                timeout=SECONDS, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None, [], {}, f"no end after {SECONDS} s", ""
        errors = done.stderr.decode(errors="replace")
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            return done.returncode, [], {}, f"no JSON: {done.stdout[:80]!r}", errors
        signatures = answer.get("signatures", [])
        found = [s["subindication"] for s in signatures if s.get("subindication")]
        return done.returncode, found, answer, None, errors

    def judge(self, case):
        """What was found, and what is wrong with it or None."""
        code, found, answer, complaint, errors = self.verify(case)
        signatures = answer.get("signatures", [])
        own = answer.get("problems", [])
        problems = [p["code"] for s in [{"problems": own}, *signatures] for p in s["problems"]]
        changes = [s["changes"] for s in signatures]
        seen = f"exit {code} {','.join(found)} {','.join(problems)}".strip()
        if complaint:
            return seen, f"{complaint} {errors[-200:]}"
        unreal = viewer.complaint(case, self.folder)
        if unreal:
            return seen, f"not a real attack: {unreal}"
        if code not in case.expect.outcomes:
            return seen, f"expected {wanted(case.expect)}"
        allowed = case.expect.outcomes[code]
        if allowed and not set(allowed) & set(found):
            return seen, f"expected {wanted(case.expect)}"
        if case.expect.changes and not set(case.expect.changes.split("|")) & set(changes):
            return seen, f"expected the changes {case.expect.changes}, not {','.join(changes)}"
        if case.expect.level and case.expect.level not in [s["level"] for s in signatures]:
            return seen, f"expected the level {case.expect.level}"
        if case.expect.remark and not re.search(
                case.expect.remark, json.dumps(answer) + errors, re.IGNORECASE):
            return seen, f"expected a remark on {case.expect.remark}"
        if case.untimed and any((s.get("timestamp") or {}).get("trusted") for s in signatures):
            return seen, "a timestamp is said to be trusted"
        if case.clean and (found := self.unclean(case)):
            return seen, f"the answer for people holds {found!r}"
        if wrong := check_json.breach(answer):
            return seen, f"the JSON breaks its schema: {wrong}"
        if case.viewers and not self.differs(case):
            return seen, "no installed viewer shows a difference"
        return seen, None

    def differs(self, case):
        """Whether `verify --viewers` names a page that looks different since it was signed."""
        asked = dataclasses.replace(case, options=(*case.options, "--viewers"))
        _, _, answer, _, _ = self.verify(asked)
        return bool((answer.get("viewers") or {}).get("differences"))

    def unclean(self, case):
        """Characters in the answer for people that could steer a terminal."""
        done = subprocess.run(
            [self.kit.signet, *case.command, self.folder / (case.name + case.suffix), "--trust",
             self.kit.trust], capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
        text = (done.stdout + done.stderr).decode(errors="replace")
        return re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e-\u200f\u2028-\u202e\u2066-\u2069]", text)

    def all(self, cases):
        """(what was found, what is wrong with it or None) of each case, in order."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(self.judge, cases))



def wanted(expect):
    return " or ".join(
        f"exit {code}" + (f" {'/'.join(names)}" if names else "")
        for code, names in expect.outcomes.items())
