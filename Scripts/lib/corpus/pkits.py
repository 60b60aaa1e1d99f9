"""usage: Scripts/corpus pkits FOLDER [--only TEST] [--signet BINARY] [--verbose]

Runs the NIST path validation suite (PKITS) in FOLDER. cases.jsonl has one test per line: a CMS file, its
trust anchor and its CRLs relative to FOLDER, the expected result, and additional inputs of the test.
`signet cms verify` must report the expected result. The exit code is 1 if a result differs without a
listed reason.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

import command

TIMEOUT_SECONDS = 60
POLICIES = "2.16.840.1.101.3.2.1.48."

# Valid paths that do not pass on purpose, by the only problem that is found.
ARGUED = {
    "ca-certificate":
        "the signer's certificate is an authority's: RFC 5280 §6.1 validates the path, and leaves "
        "to the application whether its end may sign documents",
}
# What a test sets, and the option for it.
SWITCHES = {
    "SetInitialExplicitPolicy": "--explicit-policy",
    "SetInitialPolicyMappingInhibit": "--inhibit-policy-mapping",
    "SetInitialInhibitAnyPolicy": "--inhibit-any-policy",
}


def options(case):
    """The suite's further inputs as options."""
    found = []
    for name, value in case["non_default_inputs"]:
        if name == "SetInitialPolicySet":
            for policy in value.strip('"').split(","):
                if policy != "anyPolicy":
                    found += ["--policy", POLICIES + policy.removeprefix("NIST-test-policy-")]
        elif value == "true":
            found.append(SWITCHES[name])
    return found


def run(case, folder, binary):
    """What is wrong with the answer; an argument for it, or None, beside it."""
    command = [binary, "cms", "verify", case["message"], "--any-signer", "--json",
               "--trust", case["trust"], *options(case)]
    for path in case["crls"]:
        command += ["--crl", path]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    expected = {0} if case["expect"] == "passed" else {3, 4}
    if done.returncode in expected:
        return None, None
    seen = f"exit {done.returncode}, {case['expect']} expected: {done.stderr.strip()}"
    if done.returncode not in (0, 3, 4):
        return seen, None
    problems = [
        problem for signature in json.loads(done.stdout)["signatures"]
        for problem in signature["problems"] if problem["verdict"]]
    codes = {problem["code"] for problem in problems}
    argument = ARGUED.get(codes.pop()) if len(codes) == 1 and done.returncode == 3 else None
    return seen + "; ".join(problem["message"] for problem in problems), argument


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="", help="tests whose number begins like this")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args(arguments)
    lines = (given.folder / "cases.jsonl").read_text().splitlines()
    cases = [case for case in map(json.loads, lines) if case["test"].startswith(given.only)]
    if not cases:
        sys.exit("corpus pkits: no test is called that")
    argued, failed = [], []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = pool.map(lambda case: run(case, given.folder, given.signet), cases)
        for case, (wrong, argument) in zip(cases, answers):
            if wrong:
                text = f"  {case['test']} {case['title']}: {wrong}"
                (argued if argument else failed).append(text)
                if argument and given.verbose:
                    print(f"{text}\n      {argument}")
    print("\n".join(failed), end="\n" if failed else "")
    good = len(cases) - len(argued) - len(failed)
    print(f"{good} of {len(cases)} as expected, {len(argued)} argued, {len(failed)} failed")
    return 1 if failed else 0
