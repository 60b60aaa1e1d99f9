"""usage: Scripts/endure cluster [--files N] [--signet BINARY] [--dir DIR]

Starts a Slurm cluster of two nodes on this machine (as root, loopback only), signs N files (default:
2000) with eight parts of a job array, kills one of them, puts it back, and sees to it that every
file is signed once and none is lost. The jobs are those of the guide on batches; the one for
Kubernetes is only checked by its schema (PyPI's
kubernetes-validate). Needs slurmctld, slurmd, slurm-client and munge.
"""

import collections
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import command
import pdf_fixtures
from command import PYTHON, ROOT

PARTS = 8
KILLED = 3
SECONDS = 240
GUIDE = ROOT / "Sources/SignetKit/SignetKit.docc/Guides/Batches.md"


def example(language, path):
    """Writes the guide's code block in a language to a file."""
    block = re.search(rf"^```{language}\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    path.write_text(block[1])
    return path


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        host = socket.gethostname().split(".")[0]
        nodes = "".join(
            f"NodeName=node{n} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=2"
            " State=UNKNOWN\n" for n in (1, 2))
        (folder / "slurm.conf").write_text(
            f"ClusterName=signet\nSlurmctldHost={host}(127.0.0.1)\n"
            f"SlurmctldPort={free_port()}\nSlurmUser=root\nSlurmdUser=root\n"
            f"AuthType=auth/munge\nAuthInfo=socket={folder}/munge.socket\n"
            f"StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool.%n\n"
            f"SlurmctldPidFile={folder}/ctld.pid\nSlurmdPidFile={folder}/d.%n.pid\n"
            f"SlurmctldLogFile={folder}/ctld.log\nSlurmdLogFile={folder}/d.%n.log\n"
            "ProctrackType=proctrack/pgid\nTaskPlugin=task/none\nMpiDefault=none\n"
            "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nReturnToService=2\n"
            "JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n"
            "SlurmdParameters=config_overrides\nSchedulerParameters=sched_interval=1\n"
            f"{nodes}PartitionName=all Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP\n")
        for name in ("state", "spool.node1", "spool.node2"):
            (folder / name).mkdir()

    def start(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        f = self.folder
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}",
                    f"--socket={f}/munge.socket", f"--pid-file={f}/munge.pid",
                    f"--log-file={f}/munge.log", f"--seed-file={f}/munge.seed", "--num-threads=2")
        self.wait("munge", lambda: (f / "munge.socket").exists())
        self.daemon("slurmctld", "-D", "-i")
        for node in ("node1", "node2"):
            self.daemon("slurmd", "-D", "-N", node)
        self.wait("both nodes", lambda: self.run("sinfo", "-h", "-t", "idle", "-o", "%D") == "2")

    def daemon(self, name, *arguments):
        log = open(self.folder / f"{len(self.daemons)}.{name}.out", "wb")
        self.daemons.append(subprocess.Popen(
            [shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin"), *arguments],
            env=self.environment, stdout=log, stderr=log))

    def run(self, *arguments):
        answer = subprocess.run([str(a) for a in arguments], env=self.environment,
                                capture_output=True, text=True)
        return answer.stdout.strip() if answer.returncode == 0 else None

    def wait(self, what, is_done, seconds=60):
        end = time.time() + seconds
        while not is_done():
            if time.time() > end:
                for log in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out")):
                    print(f"--- {log.name}\n{log.read_text(errors='replace')[-1500:]}",
                          file=sys.stderr)
                sys.exit(f"endure cluster: waited for {what} in vain")
            time.sleep(0.1)

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()


def process_of(journal):
    """The signet that has a journal."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if os.fsencode(journal) in words and b"sign" in words[1:2]:
            return int(path.parent.name)
    return None


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--dir", default=tempfile.gettempdir())
    options = parser.parse_args(arguments)
    check_manifest()
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch")
               if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")]
    if missing or os.geteuid():
        what = f"{', '.join(missing)} not installed" if missing else "not root"
        if os.environ.get("CI") == "true":
            sys.exit(f"endure cluster: {what}")
        print(f"SKIPPED: {what}, no cluster was started", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory(dir=options.dir) as name:
        folder = pathlib.Path(name)
        cluster = Cluster(folder)
        try:
            cluster.start()
            print("two nodes are up: " + cluster.run("sinfo", "-h", "-N", "-o", "%N %t")
                  .replace("\n", ", "))
            run(cluster, folder, options)
        finally:
            cluster.stop()


def check_manifest():
    """The job for Kubernetes, by the published schemas: here is no cluster to run it."""
    if not PYTHON.exists():
        sys.exit("endure cluster: no .venv: run Scripts/test once")
    if subprocess.run([PYTHON, "-c", "import kubernetes_validate"], capture_output=True).returncode:
        subprocess.run([PYTHON, "-m", "pip", "install", "-q", "kubernetes-validate"], check=True)
    with tempfile.TemporaryDirectory() as name:
        job = example("yaml", pathlib.Path(name) / "kubernetes.yaml")
        subprocess.run([PYTHON.parent / "kubernetes-validate", "--strict", job], check=True)


def run(cluster, folder, options):
    (folder / "in").mkdir()
    for number in range(options.files):
        pdf_fixtures.letter(folder / f"in/{number}.pdf", size=20_480)
    signet = options.signet
    for arguments in (
        ["key", "generate", "-o", folder / "k.pem", "--type", "rsa:2048", "--no-passphrase"],
        ["cert", "create", "--key", folder / "k.pem", "--subject", "CN=Cluster", "-o",
         folder / "c.pem"],
    ):
        subprocess.run([signet, *arguments], check=True, capture_output=True)
    begun = time.time()
    values = {"SIGNET": signet, "IN": folder / "in", "OUT": folder / "out",
              "KEY": folder / "k.pem", "CERT": folder / "c.pem"}
    job = cluster.run(
        "sbatch", "--parsable", f"--array=1-{PARTS}", f"--output={folder}/task.%a.out",
        "--export=ALL," + ",".join(f"{k}={v}" for k, v in values.items()),
        example("sh", folder / "slurm.sbatch"))
    if not job:
        sys.exit("endure cluster: sbatch took no job")
    print(f"job {job}: {options.files} files in {PARTS} parts")

    journal = folder / f"out.journal.{KILLED}"
    cluster.wait(f"part {KILLED} to be at work",
                 lambda: journal.exists() and journal.read_bytes().count(b"\n") > 20)
    process = process_of(journal)
    if not process:
        sys.exit(f"endure cluster: part {KILLED} was done before it could be killed: give more --files")
    os.kill(process, signal.SIGKILL)
    lines = journal.read_bytes().count(b"\n")
    print(f"part {KILLED} killed after {lines} lines of its journal")
    state = lambda: cluster.run("scontrol", "show", "job", f"{job}_{KILLED}") or ""
    cluster.wait("the killed part to end", lambda: "JobState=FAILED" in state(), SECONDS)
    if cluster.run("scontrol", "requeue", f"{job}_{KILLED}") is None:
        sys.exit("endure cluster: it cannot be put back")
    print(f"part {KILLED} put back")
    cluster.wait("all parts", lambda: cluster.run("squeue", "-h") == "", SECONDS)
    print(f"all parts ended after {time.time() - begun:.1f} s")

    done = collections.Counter()
    for path in sorted(folder.glob("out.journal.*")):
        entries = [json.loads(line) for line in path.read_text().splitlines() if line]
        count = sum(entry["outcome"] == "done" for entry in entries)
        print(f"  {path.name}: {count} done")
        done.update(entry["input"] for entry in entries if entry["outcome"] == "done")
    wanted = {f"{number}.signed.pdf" for number in range(options.files)}
    outputs = {path.name for path in (folder / "out").iterdir()}
    if outputs != wanted or len(done) != options.files or set(done.values()) != {1}:
        sys.exit(f"endure cluster: {len(outputs)} outputs, {len(done)} files done, at most "
                 f"{max(done.values(), default=0)} times")
    verified = subprocess.run([signet, "verify", folder / "out", "--recursive", "--trust",
                               folder / "c.pem", "--quiet"])
    if verified.returncode:
        sys.exit("endure cluster: not every output verifies")
    print(f"endure cluster: {options.files} files, each signed once, none lost, all verify")
