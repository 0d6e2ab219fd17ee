"""Pure checks of the container engine: versions, isolation, cards."""

from collections.abc import Iterator
from typing import Final

from nodeagent.docker.engine.min_versions import VersionCheck, VersionStatus, check_versions
from nodeagent.docker.network.container_network import NFT_MISSING
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
    "engine": ("Docker", "Docker"),
    "runc": ("runc", "runc"),
    "toolkit": ("NVIDIA Container Toolkit", "NVIDIA Container Toolkit"),
    "driver": ("NVIDIA driver", "NVIDIA 驱动"),
}


def check_engine(facts: HostFacts) -> Iterator[Finding]:
    """Yield the findings about containers; a single one if no engine answers."""
    engine = facts.engine
    if engine is None:
        yield _no_engine(facts)
        return
    yield ok("engine", "Docker answers", "Docker 正常响应")
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
    if facts.runtime == "docker":
        return fail(
            "engine",
            f"Docker does not answer: {facts.engine_error}",
            f"Docker 无响应：{facts.engine_error}",
            fix,
        )
    return warn(
        "engine",
        "Docker does not answer: work runs as plain processes, without isolation",
        "Docker 无响应：工作以普通进程运行，没有隔离",
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
            f"{english} {check.detail}",
            f"{chinese} {check.version} 较旧，建议升级到 {' / '.join(check.requirement.recommended)}",
            fix,
        )
    text_zh = f"{chinese} {check.version or '版本未知'}，最低要求 {check.requirement.minimum}"
    if name in facts.accepted:
        return warn(
            code,
            f"{english} {check.detail}; accepted in the configuration",
            f"{text_zh}（已由管理员接受）",
            fix,
        )
    return fail(code, f"{english} {check.detail}", text_zh, fix)


def _cgroups(engine: EngineFacts) -> Finding:
    if engine.cgroup_version == "2":
        return ok("cgroup", "cgroup v2", "cgroup v2")
    return warn(
        "cgroup",
        "cgroup v1: GPUs cannot be shared by memory limits of the kernel",
        "cgroup v1：无法使用内核级显存限制来共享加速卡",
        "grubby --update-kernel=ALL --args=systemd.unified_cgroup_hierarchy=1 && reboot",
    )


def _seccomp(engine: EngineFacts) -> Finding:
    """Check the engine's default seccomp filter; the agent adds none, that could only weaken it."""
    options = [option for option in engine.security if "name=seccomp" in option]
    if options and not any("unconfined" in option for option in options):
        return ok(
            "seccomp",
            "Docker filters system calls (seccomp)",
            "Docker 已启用系统调用过滤（seccomp）",
        )
    return fail(
        "seccomp",
        "Docker does not filter system calls (seccomp)",
        "Docker 未启用系统调用过滤（seccomp）",
        _daemon("d.pop('seccomp-profile', None)", "restart"),
    )


def _users(facts: HostFacts, engine: EngineFacts) -> Finding:
    """Check user namespace remapping, which is required where folders have disk quotas.

    Only an unprivileged user of a remapped namespace is kept from moving files out of a quota
    project. Source: `fileattr_set_prepare` of Linux; tried on XFS with 6.18.
    """
    if engine.has_remapped_users:
        return ok(
            "userns",
            "root in containers has no privileges on the host",
            "容器内的 root 在主机上无特权",
        )
    quota = (
        (
            "; work can also move its files out of the quota of its folder",
            "；工作还可把自己的文件移出目录配额",
        )
        if facts.storage.has_quota
        else ("", "")
    )
    return warn(
        "userns",
        f"user namespaces are off (userns-remap); work never runs as root, so this is a second safeguard{quota[0]}",
        f"未启用用户命名空间（userns-remap）；工作本来就不以 root 运行，这是第二道防线{quota[1]}",
        _daemon("d['userns-remap'] = 'default'", "restart") + "   # images are pulled again",
    )


def _live_restore(engine: EngineFacts) -> Finding:
    if engine.is_live_restore:
        return ok("live_restore", "work survives a restart of Docker", "Docker 重启时工作不中断")
    return warn(
        "live_restore",
        "a restart of Docker stops all work (live-restore is off)",
        "重启 Docker 会中断所有工作（未启用 live-restore）",
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
            "work uses the host's network, and can reach everything that the host can",
            "工作与主机共用网络：主机能访问的一切，工作都能访问",
            "apt-get install iptables && systemctl restart docker   # and set docker.network",
        )
    if not facts.is_egress_enforced:
        return warn(
            "egress",
            "connections of work are not limited: docker.egress.enforce is off",
            "未限制工作的对外访问：docker.egress.enforce 已关闭",
        )
    if facts.nft_error:
        error_zh = "未安装 nft" if facts.nft_error == NFT_MISSING else facts.nft_error
        return fail(
            "egress",
            f"connections of work cannot be limited: {facts.nft_error}",
            f"无法限制工作的对外访问：{error_zh}",
            "apt-get install nftables   # and run the agent as root",
        )
    if facts.bridges_filtered is False:
        return fail(
            "egress",
            "containers on one bridge can reach each other",
            "同一网桥上的容器未相互隔离",
            "modprobe br_netfilter && sysctl -w net.bridge.bridge-nf-call-iptables=1",
        )
    return ok("egress", "connections of work are limited", "工作的对外访问受限")


def _cards(facts: HostFacts, engine: EngineFacts) -> Iterator[Finding]:
    if facts.nvidia_cards == 0:
        yield ok("cards", "no NVIDIA GPU in this host", "本机没有 NVIDIA 加速卡")
        return
    if "driver" not in facts.versions:
        yield fail(
            "cards",
            f"{facts.nvidia_cards} NVIDIA GPUs without a driver",
            f"检测到 {facts.nvidia_cards} 张 NVIDIA 卡，但未加载驱动",
            "apt-get install nvidia-open && reboot",
        )
        return
    if facts.cdi_specs or "nvidia" in engine.runtimes:
        yield ok(
            "cards",
            f"{facts.nvidia_cards} NVIDIA GPUs that containers can use",
            f"{facts.nvidia_cards} 张 NVIDIA 卡，容器可以使用",
        )
        return
    yield fail(
        "cards",
        "containers cannot use the GPUs: neither CDI devices nor the nvidia runtime are configured",
        "容器无法使用加速卡：既未配置 CDI 设备，也未配置 nvidia 运行时",
        "apt-get install nvidia-container-toolkit && nvidia-ctk runtime configure && "
        "nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml && systemctl restart docker",
    )
