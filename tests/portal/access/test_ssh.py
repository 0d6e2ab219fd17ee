"""SSH with a real client, through the gateway and a node into a real container."""

import asyncio
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncssh
import pytest

from portal.access.ssh.server import HostKeyError, load_host_key
from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.concurrency import run_in_thread
from portal.identity import ssh_keys
from portal.identity.models import SshKey, User
from portal.live.authentication import RECHECK_S
from portal.tenancy.actors import load_actor
from portal.tenancy.models import Membership
from portal.workloads.models import Workload
from tests.builders.people import a_member
from tests.builders.workloads import a_workload
from tests.fakes import work as programs
from tests.portal.access.site import Site, Work, a_site, an_ssh_server, some_work
from tests.waiting import PATIENCE_S, wait_until_async

pytestmark = pytest.mark.django_db(transaction=True)
HASTY = pytest.mark.parametrize("recheck_s", [0.05], ids=["hasty"])
"""Rights are checked again at once."""


@dataclass
class SshGateway:
    """The SSH server of a site, and a key that its owner has added."""

    site: Site
    port: int
    key: asyncssh.SSHKey

    @asynccontextmanager
    async def client(
        self, login: str = "", key: asyncssh.SSHKey | None = None
    ) -> AsyncIterator[asyncssh.SSHClientConnection]:
        async with asyncssh.connect(
            "127.0.0.1",
            self.port,
            username=login or self.site.work.row.name,
            client_keys=[key or self.key],
            known_hosts=None,
            config=None,
            agent_path=None,
        ) as connection:
            yield connection


def add_key(user: User) -> asyncssh.SSHKey:
    """Let a user have a key."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    actor: Actor = load_actor(user)
    ssh_keys.add_key(actor=actor, name="laptop", text=key.export_public_key().decode())
    return key


@pytest.fixture
def work() -> Work:
    return some_work(kind="environment", name="lab")


@pytest.fixture
def recheck_s() -> float:
    return RECHECK_S


@pytest.fixture
async def gateway(work: Work, tmp_path: Path, recheck_s: float) -> AsyncIterator[SshGateway]:
    key = await run_in_thread(add_key, work.owner)
    async with (
        a_site(work, tmp_path, recheck_s=recheck_s) as site,
        an_ssh_server(site, tmp_path) as port,
    ):
        yield SshGateway(site, port, key)


def audited() -> list[tuple[str, object]]:
    events = AuditEvent.objects.filter(action__startswith="access.").order_by("id")
    return [
        (event.action, event.params.get("detail", event.params.get("closed_as")))
        for event in events
    ]


async def test_command_has_its_exit_code_and_both_ends(gateway: SshGateway) -> None:
    async with gateway.client() as client:
        done = await client.run("echo out; echo err >&2; exit 7")
        assert (done.stdout, done.stderr, done.exit_status) == ("out\n", "err\n", 7)
        piped = await client.run("cat", input="through\n")
        assert piped.stdout == "through\n"
        by_id = gateway.client(str(gateway.site.work.row.pk))
        async with by_id as again:
            assert (await again.run("echo $((6*7))")).stdout == "42\n"
    assert (await run_in_thread(audited))[:2] == [
        ("access.open", "echo out; echo err >&2; exit 7"),
        ("access.close", "exited"),
    ]


async def test_shell_has_a_terminal_of_the_clients_size(gateway: SshGateway) -> None:
    async with gateway.client() as client:
        shell = await client.create_process(term_type="xterm", term_size=(91, 33))
        shell.stdin.write("stty size; exit 4\n")
        done = await shell.wait(timeout=PATIENCE_S)
        assert "33 91" in str(done.stdout)
        assert done.exit_status == 4


async def test_large_input_and_output_pass_unchanged(gateway: SshGateway) -> None:
    data = bytes(range(256)) * 4096
    async with gateway.client() as client:
        done = await client.run("cat", input=data, encoding=None)
        assert done.stdout == data


async def test_port_inside_is_forwarded_and_nothing_else(
    gateway: SshGateway, tmp_path: Path
) -> None:
    async with gateway.client() as client:
        server = await client.create_process(" ".join(_quoted(programs.SERVES)))
        port = int(await server.stdout.readline())
        reader, writer = await client.open_connection("localhost", port)
        writer.write(b"ping")
        assert await reader.readexactly(4) == b"ping"
        writer.close()
        # A port of this machine that the container does not serve: the gateway's own.
        reader, _ = await client.open_connection("127.0.0.1", gateway.port)
        assert await reader.read() == b""
        for host in ("example.org", "169.254.169.254"):
            with pytest.raises(asyncssh.ChannelOpenError, match="localhost inside"):
                await client.open_connection(host, 80)
        server.close()


async def test_key_that_is_unknown_or_deleted_is_refused(gateway: SshGateway) -> None:
    with pytest.raises(asyncssh.PermissionDenied):
        async with gateway.client(key=asyncssh.generate_private_key("ssh-ed25519")):
            pass
    await run_in_thread(SshKey.objects.all().delete)
    with pytest.raises(asyncssh.PermissionDenied):
        async with gateway.client():
            pass


@HASTY
async def test_session_ends_with_the_key(gateway: SshGateway) -> None:
    async with gateway.client() as client:
        process = await client.create_process("echo begun; sleep 1000")
        assert await process.stdout.readline() == "begun\n"
        await run_in_thread(SshKey.objects.all().delete)
        done = await process.wait(timeout=PATIENCE_S)
        assert done.exit_status == 255
        assert "has ended" in str(done.stderr)
    await wait_until_async(lambda: all(task.done() for task in gateway.site.node.tasks))


@HASTY
async def test_session_ends_with_the_membership(gateway: SshGateway) -> None:
    async with gateway.client() as client:
        process = await client.create_process("echo begun; sleep 1000")
        assert await process.stdout.readline() == "begun\n"
        await run_in_thread(Membership.objects.filter(user=gateway.site.work.owner).delete)
        assert (await process.wait(timeout=PATIENCE_S)).exit_status == 255


async def test_work_of_others_is_answered_like_none_at_all(gateway: SshGateway) -> None:
    def others() -> tuple[Workload, asyncssh.SSHKey]:
        work = gateway.site.work
        colleague = a_member(work.group, "group_admin")
        foreign = a_workload(colleague, work.group, work.row.pool, name="theirs", state="running")
        return foreign, add_key(colleague)

    foreign, colleague = await run_in_thread(others)
    answers = set()
    for login in (str(foreign.pk), "theirs", "nothing", "lab+x", "lab+1000"):
        async with gateway.client(login) as client:
            done = await client.run("id")
            answers.add((done.exit_status, str(done.stderr)))
    async with gateway.client(str(gateway.site.work.row.pk), colleague) as client:
        done = await client.run("id")
        answers.add((done.exit_status, str(done.stderr)))
    assert len(answers) == 1, answers
    assert gateway.site.node.told == []


async def test_reason_comes_in_the_clients_language(gateway: SshGateway) -> None:
    await run_in_thread(
        Workload.objects.filter(pk=gateway.site.work.row.pk).update, state="stopping"
    )
    async with gateway.client() as client:
        english = await client.run("id")
        chinese = await client.run("id", env={"LANG": "zh_CN.UTF-8"})
    assert "lab is not running" in str(english.stderr)
    assert any("\u4e00" <= letter <= "\u9fff" for letter in str(chinese.stderr))


async def test_own_work_that_has_ended_is_said_to_have(gateway: SshGateway) -> None:
    row = gateway.site.work.row

    def end() -> None:
        Workload.objects.filter(pk=row.pk).update(state="succeeded", finished_at=now())

    await run_in_thread(end)
    for login in ("lab", str(row.pk)):
        async with gateway.client(login) as client:
            done = await client.run("id")
            chinese = await client.run("id", env={"LANG": "zh_CN.UTF-8"})
        assert "lab has ended" in str(done.stderr)
        assert "lab 已结束" in str(chinese.stderr)


async def test_a_name_leads_to_what_runs_before_what_has_ended(gateway: SshGateway) -> None:
    work = gateway.site.work

    def end_another() -> None:
        a_workload(work.owner, work.group, work.row.pool, name="lab", state="failed")

    await run_in_thread(end_another)
    async with gateway.client("lab") as client:
        assert (await client.run("echo in")).stdout == "in\n"


async def test_passwords_and_remote_forwards_are_refused(gateway: SshGateway) -> None:
    with pytest.raises(asyncssh.PermissionDenied):
        await asyncssh.connect(
            "127.0.0.1",
            gateway.port,
            username="lab",
            password="x",
            client_keys=None,
            known_hosts=None,
            config=None,
            agent_path=None,
        )
    async with gateway.client() as client:
        with pytest.raises(asyncssh.ChannelListenError):
            await client.forward_remote_port("", 0, "localhost", 22)


async def test_sftp_is_the_images_own(gateway: SshGateway) -> None:
    async with gateway.client() as client:
        process = await client.create_process(subsystem="sftp", encoding=None)
        process.stdin.write(b"\0\0\0\5\1\0\0\0\3")  # version 3, please
        # At the end of its input it goes, and with it what it has not said yet.
        answer = await asyncio.wait_for(process.stdout.read(64), PATIENCE_S)
        process.stdin.write_eof()
        done = await process.wait(timeout=PATIENCE_S)
        assert (b"\2\0\0\0\3" in answer) if HAS_SFTP else (done.exit_status == 127)


async def test_host_key_is_kept_and_private(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "host"
    first = load_host_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_host_key(path).get_fingerprint() == first.get_fingerprint()
    path.chmod(0o644)
    with pytest.raises(HostKeyError):
        load_host_key(path)


async def test_gateway_that_ends_hangs_up(work: Work, tmp_path: Path) -> None:
    key = await run_in_thread(add_key, work.owner)
    async with a_site(work, tmp_path) as site:
        async with an_ssh_server(site, tmp_path) as port:
            gateway = SshGateway(site, port, key)
            async with gateway.client() as client:
                process = await client.create_process("echo begun; sleep 1000")
                assert await process.stdout.readline() == "begun\n"
        async with asyncio.timeout(PATIENCE_S):
            await process.wait_closed()


HAS_SFTP = any(
    Path(folder, "sftp-server").exists()
    for folder in (
        "/usr/lib/openssh",
        "/usr/libexec/openssh",
        "/usr/libexec",
        "/usr/lib/ssh",
        "/usr/lib",
    )
)


def _quoted(argv: tuple[str, ...]) -> list[str]:
    return ["'" + part.replace("'", "'\\''") + "'" for part in argv]
