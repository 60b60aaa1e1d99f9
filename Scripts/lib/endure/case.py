"""One fault at one system call of one command, and what must hold afterwards."""

import dataclasses
import os
import re
import shutil
import signal
import subprocess

# Calls that cannot fail, or that only tell the time.
PASSED_OVER = {
    "exit_group", "exit", "execve", "rt_sigreturn", "restart_syscall", "gettid", "getpid",
    "clock_gettime", "gettimeofday"}
# Without memory the runtime may end the process; so may the loader without one of these, and the C
# library without random numbers.
MEMORY = {
    "mmap", "brk", "mprotect", "munmap", "mremap", "madvise", "clone3", "clone", "futex", "getrandom"}
# Never fails in a way that is not a bug of the caller.
CANNOT_FAIL = {"futex"}
ERRORS = {
    "write": "ENOSPC", "pwrite64": "ENOSPC", "fsync": "EIO", "linkat": "ENOSPC", "rename": "EACCES",
    "openat": "EMFILE", "mmap": "ENOMEM", "brk": "ENOMEM", "mkdir": "ENOSPC", "flock": "ENOLCK",
    "getrandom": "EAGAIN", "poll": "ENOMEM", "unlink": "EACCES", "ftruncate": "EIO",
    "connect": "ECONNREFUSED", "sendto": "EPIPE", "recvfrom": "ECONNRESET"}
CRASHES = {-signal.SIGABRT, -signal.SIGTRAP, -signal.SIGILL, -signal.SIGSEGV, -signal.SIGBUS}
DOCUMENTED = {0, 3, 4, 5, 64, 65, 66, 69, 73, 74, 77}
# More than any command waits for anything.
SECONDS = 90
LEFT = re.compile(r"\.signet-.*\.tmp$")


@dataclasses.dataclass(frozen=True)
class Case:
    command: object
    call: str
    # The how manieth call of that name.
    number: int
    # `error`, `TERM` or `KILL`.
    fault: str
    # Whether main had begun by then.
    in_main: bool

    @property
    def id(self):
        return f"{self.command.name}/{self.call}/{self.number}/{self.fault}"


def trace(kit, command, work, environment):
    """Every (call, number, whether main had begun) of one undisturbed run."""
    kit.lay_out(command, work)
    log = work.parent / (work.name + ".trace")
    done = subprocess.run(
        ["strace", "-f", "-o", log, kit.signet, *kit.arguments(command)], cwd=work,
        env=environment(work), capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode not in command.codes:
        raise SystemExit(
            f"faults: {command.name} exits with {done.returncode}: {done.stderr.decode()}")
    counts, found, in_main = {}, [], False
    threads = {}
    for line in log.read_text(errors="replace").split("\n"):
        match = re.match(r"(\d+) +(\w+)\(", line)
        if not match:
            continue
        thread, call = match.groups()
        if call == "rt_sigaction" and "SIGPIPE" in line:
            in_main = True
        # strace counts for each thread of its own.
        number = threads[thread, call] = threads.get((thread, call), 0) + 1
        if call in PASSED_OVER or counts.get((call, number)):
            continue
        counts[call, number] = True
        found.append((call, number, in_main))
    shutil.rmtree(work)
    log.unlink()
    return found


def run_alone(arguments, folder, variables):
    """Runs a command to its end, or ends it with all that it started."""
    process = subprocess.Popen(
        arguments, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return subprocess.CompletedProcess(arguments, process.returncode, output, errors)


class Trial:
    """Runs one case in a folder of its own."""

    def __init__(self, kit, case, work, environment):
        self.kit, self.case, self.work = kit, case, work
        self.environment = environment(work)
        self.wrong = []

    def run(self):
        """What is wrong, as lines; none when all is well."""
        case, command = self.case, self.case.command
        self.kit.lay_out(command, self.work)
        before = self.snapshot()
        how = f"error={ERRORS.get(case.call, 'EIO')}" if case.fault == "error" else (
            f"signal={case.fault}")
        try:
            done = run_alone(
                ["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", f"trace={case.call}",
                 "-e", f"inject={case.call}:{how}:when={case.number}", self.kit.signet,
                 *self.kit.arguments(command)], self.work, self.environment)
        except subprocess.TimeoutExpired:
            self.wrong.append("does not end")
        else:
            self.check_end(done)
            self.check_files(before, done.returncode)
            if command.store == "login":
                self.check_login()
            elif command.store:
                self.check_store(done.returncode)
            if command.name == "trust-import":
                self.check_list(done.returncode)
            self.check_next(before)
        if not self.wrong:
            shutil.rmtree(self.work)
        return self.wrong

    def snapshot(self):
        return {
            name: (self.work / name).read_bytes()
            for name in self.names() if not (self.work / name).is_dir()}

    def names(self):
        """All files but those of the store, by their path."""
        return sorted(
            str(path.relative_to(self.work)) for path in self.work.rglob("*")
            if path.relative_to(self.work).parts[0] != "data")

    def signet(self, *arguments):
        return subprocess.run(
            [self.kit.signet, *arguments], cwd=self.work, env=self.environment,
            capture_output=True, stdin=subprocess.DEVNULL, timeout=60)

    def is_whole(self, name, check):
        path = self.work / name
        if not path.exists():
            return False
        if check is None:
            return path.stat().st_size > 0
        return self.signet(*(part.replace("{}", name) for part in check)).returncode == 0

    def check_end(self, done):
        case, code = self.case, done.returncode
        ended = {"TERM": signal.SIGTERM, "KILL": signal.SIGKILL}.get(case.fault)
        if ended and code == -ended:
            return
        if not case.in_main and code != 0:
            return
        if case.call in MEMORY and code in CRASHES:
            return
        if code not in DOCUMENTED:
            self.wrong.append(f"exit {code}: {done.stderr.decode(errors='replace')[-300:]}")
        if code == 0 and case.command.codes != (0,):
            self.wrong.append("exit 0 for what is not good")
        if code == 0 and case.command.says and case.command.says not in done.stdout.decode():
            self.wrong.append("exit 0 and nothing said")
        if code not in case.command.codes and not done.stderr and case.call not in ("write",):
            self.wrong.append(f"exit {code} without a word")

    def check_files(self, before, code):
        command = self.case.command
        outputs = dict(command.outputs)
        for name, content in before.items():
            if name not in outputs and (
                    not (self.work / name).exists()
                    or (self.work / name).read_bytes() != content):
                self.wrong.append(f"the input {name} was changed")
        for name, check in outputs.items():
            path = self.work / name
            if code == 0:
                if path.exists() and before.get(name) == path.read_bytes():
                    self.wrong.append(f"exit 0 without {name}")
                elif not self.is_whole(name, check):
                    self.wrong.append(f"exit 0 and {name} is not whole")
            elif name in before and not path.exists():
                self.wrong.append(f"the old {name} is lost")
            elif path.exists() and path.read_bytes() != before.get(name) and not self.is_whole(
                    name, check):
                self.wrong.append(f"{name} is there in part")
        for name in self.names():
            if name in before or name in outputs or (self.work / name).is_dir():
                continue
            if not (self.case.fault == "KILL" and LEFT.search(name)) and not (
                    # Removing may be the very call that fails.
                    self.case.call == "unlink" and LEFT.search(name)):
                self.wrong.append(f"left behind: {name}")

    def check_store(self, code):
        command = self.case.command
        ready, pending = self.signet("identity", "list"), self.signet("identity", "pending")
        if ready.returncode or pending.returncode:
            self.wrong.append(f"the store is broken: {(ready.stderr + pending.stderr).decode()}")
            return
        seen = {line.split(":")[0] for line in ready.stdout.decode().splitlines()}
        seen |= {line.split(":")[0] + " pending" for line in pending.stdout.decode().splitlines()}
        seen -= {"no identities", "no identities pending"}
        expected = {"me", "it pending"} if command.store == "full" else set()
        after = (expected - {command.before}) | ({command.after} - {""})
        if seen not in (expected, after) or code == 0 and seen != after:
            self.wrong.append(f"the store has {sorted(seen)} after exit {code}")
        if command.name == "identity-request" and (
                "new pending" in seen) != (self.work / "n.csr").exists():
            self.wrong.append(f"the request is in one place only: {sorted(seen)}")
        keys = [path for path in (self.work / "data").rglob("*")
                if path.is_file() and b"PRIVATE KEY" in path.read_bytes()]
        if len(keys) != len(seen):
            self.wrong.append(f"{len(keys)} private keys for {len(seen)} identities")
        for path in (self.work / "data").rglob("*"):
            if path.stat().st_mode & 0o077 and "signet" in path.relative_to(self.work).parts:
                self.wrong.append(f"others have access to {path.name}")

    def check_login(self):
        """The stored login (service, server, token endpoint, client, token) is complete, or was removed, and
        only its owner has access."""
        for path in (self.work / "data").rglob("*"):
            if path.stat().st_mode & 0o077 and path.name != "data" and path != self.work / "data":
                self.wrong.append(f"others have access to {path.name}")
            if path.parent.name == "logins" and re.fullmatch("[0-9a-f]{64}", path.name) and (
                    not re.fullmatch(rb"(?:[^\n]+\n){4}[\x21-\x7E]{20,}", path.read_bytes())):
                self.wrong.append("the stored login is not complete")

    def check_list(self, code):
        """The list is stored completely, or not at all."""
        done = self.signet("trust", "list")
        if done.returncode not in (0, 66) or code == 0 and done.returncode != 0 or (
                b"list was" in done.stdout + done.stderr):
            self.wrong.append(f"the list is not complete: {(done.stdout + done.stderr).decode()}")

    def check_next(self, before):
        """The same command once more, in the same folder, does its work and cleans up."""
        command = self.case.command
        if not command.outputs or command.store not in ("", "login"):
            return
        for name, _ in command.outputs:
            if name not in before:
                (self.work / name).unlink(missing_ok=True)
        done = self.signet(*self.kit.arguments(command))
        if done.returncode not in command.codes:
            self.wrong.append(f"the next one fails: {done.stderr.decode()}")
        left = [name for name in self.names() if LEFT.search(name)]
        if left:
            self.wrong.append(f"still there after the next one: {left}")


def environment(work):
    """Of the commands: nothing of the caller's that could matter."""
    return {
        "PATH": "/usr/bin:/bin", "HOME": str(work), "XDG_DATA_HOME": str(work / "data"), "XDG_STATE_HOME": str(work / "data"),
        "TMPDIR": str(work), "LC_ALL": "C.UTF-8", **(
            {"LD_LIBRARY_PATH": os.environ["LD_LIBRARY_PATH"]}
            if "LD_LIBRARY_PATH" in os.environ else {})}
