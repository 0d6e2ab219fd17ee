"""The gateway as OpenSSH uses it, and so VS Code Remote: scripts, shared connections, forwards, copies, jumps."""

import asyncio
import sys
import tempfile
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.onebox.options import find_free_port
from portal.audit.models import AuditEvent
from portal.common.concurrency import run_in_thread
from tests.fakes import work as programs
from tests.portal.access.site import a_site, an_ssh_server, some_work
from tests.portal.access.test_ssh import add_key
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.docker]

CONFIG = """
Host lab
  HostName 127.0.0.1
  Port {port}
  User lab
  ControlMaster auto
  ControlPath {folder}/shared
  ControlPersist 60

Host files
  HostName 127.0.0.1
  Port {port}
  User files

Host inner
  HostName localhost
  Port {inner}
  User somebody
  ProxyJump lab

Host *
  IdentityFile {folder}/key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
  StrictHostKeyChecking accept-new
  BatchMode yes
  LogLevel ERROR
"""
OWN_SERVER = """
import asyncio, sys, asyncssh
async def serve():
    def answer(process):
        process.stdout.write(f"{process.get_extra_info('username')} ran {process.command}\\n")
        process.exit(5)
    key = asyncssh.generate_private_key("ssh-ed25519")
    server = await asyncssh.create_server(asyncssh.SSHServer, "127.0.0.1", 0, server_host_keys=[key],
        authorized_client_keys=sys.argv[1], process_factory=answer)
    print(server.get_port(), flush=True)
    await server.wait_closed()
asyncio.run(serve())
"""
"""What an image with a server of its own runs; it knows one key."""


@dataclass
class Laptop:
    """A client's folder with its configuration and key."""

    folder: Path
    port: int

    def configure(self, inner: int = 22) -> None:
        """Write the configuration; `inner` is the port of a server inside the container."""
        text = CONFIG.format(folder=self.folder, port=self.port, inner=inner)
        (self.folder / "config").write_text(text)

    def argv(self, program: str, *arguments: str) -> tuple[str, ...]:
        return (program, "-F", str(self.folder / "config"), *arguments)

    async def run(
        self, program: str, *arguments: str, sent: bytes = b""
    ) -> tuple[int, bytes, bytes]:
        """Return exit code and both outputs of one of OpenSSH's programs."""
        command = self.argv(program, *arguments)
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        async with asyncio.timeout(PATIENCE_S):
            out, err = await process.communicate(sent)
        assert process.returncode is not None
        return process.returncode, out, err

    @asynccontextmanager
    async def says(self, *arguments: str) -> AsyncIterator[bytes]:
        """Let a command run for the block, and return the first line that it says."""
        command = self.argv("ssh", *arguments)
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        try:
            assert process.stdout is not None
            async with asyncio.timeout(PATIENCE_S):
                yield await process.stdout.readline()
        finally:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.communicate()


@pytest.fixture
async def laptop(tmp_path: Path) -> AsyncIterator[Laptop]:
    """A laptop whose owner has a notebook that runs."""
    work = await run_in_thread(some_work, "environment", "lab")
    key = await run_in_thread(add_key, work.owner)
    # Sockets want short names.
    with tempfile.TemporaryDirectory(prefix="berth-ssh-") as name:
        folder = Path(name)
        key.write_private_key(folder / "key")
        key.write_public_key(folder / "key.pub")
        (folder / "key").chmod(0o600)
        async with a_site(work, tmp_path) as site, an_ssh_server(site, tmp_path) as port:
            made = Laptop(folder, port)
            made.configure()
            yield made
            await made.run("ssh", "-O", "exit", "lab")


def opened() -> list[object]:
    events = AuditEvent.objects.filter(action="access.open").order_by("id")
    return [event.params.get("detail") for event in events]


async def test_script_comes_by_standard_input_and_sessions_share_a_connection(
    laptop: Laptop,
) -> None:
    script = b"cd /tmp && read word <<end\nfrom-here\nend\necho $word $BASH_VERSION; echo bad >&2; exit 9\n"
    code, out, err = await laptop.run("ssh", "-T", "lab", "bash", "-s", sent=script)
    assert (code, out.split()[0], err) == (9, b"from-here", b"bad\n")
    assert (await laptop.run("ssh", "-O", "check", "lab"))[0] == 0
    (laptop.folder / "known").unlink()
    both = [laptop.run("ssh", "lab", f"read word; echo $word-{n}", sent=b"said\n") for n in (1, 2)]
    # A new connection would ask for the host key again, and note it.
    assert [answer[:2] for answer in await asyncio.gather(*both)] == [
        (0, b"said-1\n"),
        (0, b"said-2\n"),
    ]
    assert not (laptop.folder / "known").exists()
    details = await run_in_thread(opened)
    assert details[0] == "bash -s"
    assert len(details) == 3


async def test_ports_of_the_container_are_forwarded_one_by_one_and_by_socks(
    laptop: Laptop,
) -> None:
    serves = " ".join(_quoted(programs.SERVES))
    local, socks = find_free_port(), find_free_port()
    async with laptop.says("lab", serves) as line:
        inside = int(line)
        forwards = ("-L", f"127.0.0.1:{local}:localhost:{inside}", "-D", f"127.0.0.1:{socks}")
        async with laptop.says(*forwards, "lab", "echo ready; sleep 1000") as ready:
            assert ready == b"ready\n"
            reader, writer = await asyncio.open_connection("127.0.0.1", local)
            writer.write(b"by -L")
            assert await reader.readexactly(5) == b"by -L"
            writer.close()
            reader, writer = await asyncio.open_connection("127.0.0.1", socks)
            writer.write(b"\5\1\0")
            assert await reader.readexactly(2) == b"\5\0"
            writer.write(b"\5\1\0\1\x7f\0\0\1" + inside.to_bytes(2))
            assert (await reader.readexactly(10))[1] == 0
            writer.write(b"by -D")
            assert await reader.readexactly(5) == b"by -D"
            writer.close()


async def test_files_are_copied_both_ways(laptop: Laptop, tmp_path: Path) -> None:
    sent, back, again = (laptop.folder / name for name in ("sent", "back", "again"))
    sent.write_bytes(bytes(range(256)) * 1000)
    there = tmp_path / "there"
    assert (await laptop.run("scp", "-q", str(sent), f"lab:{there}"))[0] == 0
    assert there.read_bytes() == sent.read_bytes()
    batch = f"get {there} {back}\nput {back} {there}2\nbye\n".encode()
    assert (await laptop.run("sftp", "-q", "-b", "-", "lab", sent=batch))[0] == 0
    assert (await laptop.run("scp", "-q", f"lab:{there}2", str(again)))[0] == 0
    assert back.read_bytes() == again.read_bytes() == sent.read_bytes()


async def test_volumes_are_reached_by_sftp_and_scp_without_any_work(
    laptop: Laptop, tmp_path: Path
) -> None:
    sent, back = laptop.folder / "data 数据.bin", laptop.folder / "back"
    sent.write_bytes(bytes(range(256)) * 5000)
    steps = (
        "mkdir /home/runs",
        f'put -p "{sent}" /home/runs/model.pt',
        "rename /home/runs/model.pt /home/runs/final.pt",
        "ls -la /home/runs",
        f"get /home/runs/final.pt {back}",
        "chmod 755 /home/runs/final.pt",
        "-ln -s /etc/passwd /home/link",
        "rm /home/runs/final.pt",
        "rmdir /home/runs",
    )
    batch = "\n".join((*steps, "bye")).encode()
    code, out, err = await laptop.run("sftp", "-b", "-", "files", sent=batch)
    assert (code, back.read_bytes() == sent.read_bytes()) == (0, True), err
    assert b"final.pt" in out
    assert b"berth: Links are not made here" in err
    # A put that broke off goes on where it was, also with scp's and sftp's own ways of asking.
    (tmp_path / "partial").write_bytes(sent.read_bytes()[:70_000])
    half = f'put {tmp_path}/partial /home/whole.bin\nput -a "{sent}" /home/whole.bin\nbye\n'
    assert (await laptop.run("sftp", "-q", "-b", "-", "files", sent=half.encode()))[0] == 0
    assert (await laptop.run("scp", "-q", "files:/home/whole.bin", str(back)))[0] == 0
    assert back.read_bytes() == sent.read_bytes()
    folder = laptop.folder / "tree"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "a.txt").write_text("a")
    for _ in range(2):
        assert (await laptop.run("scp", "-qr", str(folder), "files:/home"))[0] == 0
    assert (await laptop.run("scp", "-qr", "files:/home/tree", str(laptop.folder / "copy")))[0] == 0
    assert (laptop.folder / "copy" / "below" / "a.txt").read_text() == "a"
    code, _, err = await laptop.run("ssh", "files", "rsync", "--server", ".", "/home")
    assert (code, b"SFTP alone" in err) == (255, True)


async def test_image_with_a_server_of_its_own_is_reached_by_a_jump(laptop: Laptop) -> None:
    server = laptop.folder / "server.py"
    server.write_text(OWN_SERVER)
    command = f"{sys.executable} {server} {laptop.folder}/key.pub"
    async with laptop.says("lab", command) as line:
        laptop.configure(int(line))
        code, out, _ = await laptop.run("ssh", "inner", "hostname")
    assert (code, out) == (5, b"somebody ran hostname\n")


def _quoted(argv: tuple[str, ...]) -> list[str]:
    """Return words for a remote shell."""
    return ["'" + part.replace("'", "'\\''") + "'" for part in argv]
