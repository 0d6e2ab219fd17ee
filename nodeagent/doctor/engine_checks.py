"""Pure checks of the container engine: versions, isolation, cards."""

from collections.abc import Iterator
from typing import Final

from nodeagent.docker.engine.min_versions import VersionCheck, VersionStatus, check_versions
from nodeagent.docker.network.gangs import HOST_NETWORK
from nodeagent.doctor.facts import EngineFacts, HostFacts
from nodeagent.doctor.findings import Finding, fail, ok, warn

UPGRADES: Final = {
    "engine": "apt-get install --only-upgrade docker-ce   # or docker.io",
    "runc": "apt-get install --only-upgrade containerd.io runc && systemctl restart docker",
    "toolkit": "apt-get install --only-upgrade nvidia-container-toolkit && systemctl restart docker",
    "driver": "apt-get install --only-upgrade nvidia-open && reboot",
}
NAMES: Final = {
    "engine": ("the engine", "容器引擎"),
    "runc": ("runc", "runc"),
    "toolkit": ("the NVIDIA container toolkit", "NVIDIA Container Toolkit"),
    "driver": ("the NVIDIA driver", "NVIDIA 驱动"),
}


def check_engine(facts: HostFacts) -> Iterator[Finding]:
    """Yield the findings about containers; a single one if no engine answers."""
    engine = facts.engine
    if engine is None:
        yield _no_engine(facts)
        return
    yield ok("engine", "the engine answers", "容器引擎正常响应")
    versions = {**facts.versions, **engine.versions}
    for check in check_versions(versions):
        yield _version_finding(check, facts)
    yield _cgroups(engine)
    yield _seccomp(engine)
    yield _users(facts, engine)
    yield _live_restore(engine)
    yield _egress(facts, engine)
    yield from _cards(facts, engine)


def _no_engine(facts: HostFacts) -> Finding:
    fix = "apt-get install docker.io && systemctl enable --now docker"
    if facts.wants_docker:
        return fail(
            "engine",
            f"no engine answers: {facts.engine_error}",
            f"容器引擎无响应：{facts.engine_error}",
            fix,
        )
    return warn(
        "engine",
        "no engine answers: work runs as plain processes, without isolation",
        "容器引擎无响应：任务将以普通进程运行，没有隔离",
        fix,
    )


def _version_finding(check: VersionCheck, facts: HostFacts) -> Finding:
    name = check.requirement.component
    english, chinese = NAMES[name]
    code, fix = f"{name}_version", UPGRADES[name]
    if check.status is VersionStatus.OK:
        return ok(code, f"{english} {check.version}", f"{chinese} {check.version}")
    if check.status is VersionStatus.OLD:
        return warn(
            code,
            f"{english}: {check.detail}",
            f"{chinese} {check.version} 较旧，建议升级到 {' / '.join(check.requirement.recommended)}",
            fix,
        )
    text_zh = f"{chinese} {check.version or '版本未知'}，最低要求 {check.requirement.minimum}"
    if name in facts.accepted:
        return warn(
            code,
            f"{english}: {check.detail}; accepted by you",
            f"{text_zh}（已由管理员接受）",
            fix,
        )
    return fail(code, f"{english}: {check.detail}", text_zh, fix)


def _cgroups(engine: EngineFacts) -> Finding:
    if engine.cgroup_version == "2":
        return ok("cgroup", "cgroup v2", "cgroup v2")
    return warn(
        "cgroup",
        "cgroup v1: cards cannot be shared by memory limits of the kernel",
        "cgroup v1：无法使用内核级显存限制来共享加速卡",
        "grubby --update-kernel=ALL --args=systemd.unified_cgroup_hierarchy=1 && reboot",
    )


def _seccomp(engine: EngineFacts) -> Finding:
    """Check the engine's default seccomp filter; the agent adds none, that could only weaken it."""
    options = [option for option in engine.security if "name=seccomp" in option]
    if options and not any("unconfined" in option for option in options):
        return ok("seccomp", "the engine filters system calls", "容器引擎已启用系统调用过滤")
    return fail(
        "seccomp",
        "the engine does not filter system calls",
        "容器引擎未启用系统调用过滤（seccomp）",
        _daemon("d.pop('seccomp-profile', None)", "restart"),
    )


def _users(facts: HostFacts, engine: EngineFacts) -> Finding:
    """Check user namespace remapping, which is required where folders have disk quotas.

    Only an unprivileged user of a remapped namespace is kept from moving files out of a quota
    project. Source: `fileattr_set_prepare` of Linux; tried on XFS with 6.18.
    """
    if engine.has_remapped_users:
        return ok("userns", "container root is unprivileged here", "容器内的 root 在主机上无特权")
    quota = (
        (
            "; and it may take its own files out of the quota of its folder",
            "；任务还可把自己的文件移出目录配额",
        )
        if facts.storage.has_quota
        else ("", "")
    )
    return warn(
        "userns",
        f"users of containers are not shifted; work is never root, so this is a second wall{quota[0]}",
        f"容器用户未映射；任务本来就不以 root 运行，这是第二道防线{quota[1]}",
        _daemon("d['userns-remap'] = 'default'", "restart") + "   # images are pulled again",
    )


def _live_restore(engine: EngineFacts) -> Finding:
    if engine.is_live_restore:
        return ok("live_restore", "work outlives the engine", "引擎重启时任务不中断")
    return warn(
        "live_restore",
        "a restart of the engine stops all work",
        "重启容器引擎会中断所有任务",
        _daemon("d['live-restore'] = True", "reload"),
    )


def _daemon(change: str, action: str) -> str:
    """Return a command that changes one setting of the engine and keeps the others."""
    script = (
        "import json, pathlib; p = pathlib.Path('/etc/docker/daemon.json'); "
        f"d = json.loads(p.read_text()) if p.exists() else {{}}; {change}; "
        "p.write_text(json.dumps(d, indent=2))"
    )
    return f'python3 -c "{script}" && systemctl {action} docker'


def _egress(facts: HostFacts, engine: EngineFacts) -> Finding:
    if facts.network == HOST_NETWORK or not engine.has_network:
        return fail(
            "egress",
            "work shares the host's network: it reaches everything that the host reaches",
            "任务与主机共用网络：主机能访问的一切，任务都能访问",
            "apt-get install iptables && systemctl restart docker   # and set docker.network",
        )
    if not facts.is_egress_enforced:
        return warn(
            "egress",
            "nothing is hidden from work, because docker.egress.enforce is off",
            "未限制任务的对外访问：docker.egress.enforce 已关闭",
        )
    if facts.nft_error:
        return fail(
            "egress",
            f"rules for work's connections cannot be set: {facts.nft_error}",
            f"无法设置任务的对外访问规则：{facts.nft_error}",
            "apt-get install nftables   # and run the agent as root",
        )
    if facts.bridges_filtered is False:
        return fail(
            "egress",
            "neighbours on a bridge are not kept apart",
            "同一网桥上的容器未相互隔离",
            "modprobe br_netfilter && sysctl -w net.bridge.bridge-nf-call-iptables=1",
        )
    return ok("egress", "what work connects to is limited", "任务的对外访问受限")


def _cards(facts: HostFacts, engine: EngineFacts) -> Iterator[Finding]:
    if facts.nvidia_cards == 0:
        yield ok("cards", "no NVIDIA card in this host", "本机没有 NVIDIA 加速卡")
        return
    if "driver" not in facts.versions:
        yield fail(
            "cards",
            f"{facts.nvidia_cards} NVIDIA cards without a driver",
            f"检测到 {facts.nvidia_cards} 张 NVIDIA 卡，但未加载驱动",
            "apt-get install nvidia-open && reboot",
        )
        return
    if facts.cdi_specs or "nvidia" in engine.runtimes:
        yield ok(
            "cards",
            f"{facts.nvidia_cards} NVIDIA cards, and the engine can hand them in",
            f"{facts.nvidia_cards} 张 NVIDIA 卡，容器引擎可以使用",
        )
        return
    yield fail(
        "cards",
        "the engine cannot hand cards in: neither a CDI description nor the nvidia runtime is there",
        "容器引擎无法使用加速卡：既没有 CDI 描述，也没有 nvidia 运行时",
        "apt-get install nvidia-container-toolkit && nvidia-ctk runtime configure && "
        "nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml && systemctl restart docker",
    )
