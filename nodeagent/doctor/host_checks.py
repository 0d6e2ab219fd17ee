"""Pure checks of the host: disk space, folders, clock, portal, limits."""

from collections.abc import Iterator
from typing import Final

from nodeagent.doctor.facts import FolderFacts, HostFacts
from nodeagent.doctor.findings import Finding, fail, ok, warn

FREE_MIB_WARN: Final = 20 * 1024
FREE_MIB_FAIL: Final = 1024
MEMORY_MIB: Final = 2048
CLOCK_S_WARN: Final = 2.0
CLOCK_S_FAIL: Final = 30.0
INOTIFY_INSTANCES: Final = 512
INOTIFY_WATCHES: Final = 65_536
OPEN_FILES: Final = 8192


def check_host(facts: HostFacts) -> Iterator[Finding]:
    """Yield the findings about the host."""
    yield _root(facts)
    yield _memory(facts)
    yield _folder("state_dir", facts.state)
    yield _folder("storage_dir", facts.storage)
    yield _mount_options(facts.storage)
    yield _storage_quota(facts)
    yield _share_records(facts)
    yield _portal(facts)
    yield _clock(facts)
    yield _inotify(facts)
    yield _open_files(facts)


def _root(facts: HostFacts) -> Finding:
    if facts.is_root:
        return ok("root", "runs as root", "以 root 运行")
    return warn(
        "root",
        "not root: files cannot be handed to the users of work, and mounts are not checked again",
        "非 root：无法把文件交给工作的用户，也无法在挂载后再次核对",
        "sudo python -m nodeagent doctor --config …",
    )


def _memory(facts: HostFacts) -> Finding:
    size = f"{facts.memory_free_mib} of {facts.memory_mib} MiB"
    if facts.memory_free_mib >= MEMORY_MIB:
        return ok("memory", f"{size} free", f"空闲内存 {facts.memory_free_mib} MiB")
    return warn("memory", f"only {size} free", f"空闲内存仅 {facts.memory_free_mib} MiB")


def _folder(code: str, folder: FolderFacts) -> Finding:
    path = folder.path
    if not folder.is_writable:
        return fail(code, f"{path} is not writable", f"{path} 不可写", f"install -d -m 0755 {path}")
    free = folder.free_mib
    if free is None:
        return warn(code, f"the free space of {path} is not known", f"无法得知 {path} 的剩余空间")
    if free < FREE_MIB_FAIL:
        return fail(code, f"{path} has only {free} MiB free", f"{path} 仅剩 {free} MiB")
    if free < FREE_MIB_WARN:
        return warn(code, f"{path} has only {free} MiB free", f"{path} 仅剩 {free} MiB")
    return ok(code, f"{path} has {free} MiB free", f"{path} 剩余 {free} MiB")


def _mount_options(folder: FolderFacts) -> Finding:
    """Check the mount options: bind mounts inherit them, and the engine cannot add any."""
    missing = [option for option in ("nosuid", "nodev") if option not in folder.options]
    if not missing:
        return ok(
            "storage_mount", "storage is mounted with nosuid, nodev", "存储以 nosuid, nodev 挂载"
        )
    text = ", ".join(missing)
    return warn(
        "storage_mount",
        f"storage is mounted without {text}; containers cannot make use of it, other users of the host might",
        f"存储未以 {text} 挂载；容器无法利用，但主机上其他用户可能可以",
        f"mount --bind {folder.path} {folder.path} && "
        f"mount -o remount,bind,nosuid,nodev {folder.path}   # and a line in /etc/fstab",
    )


def _storage_quota(facts: HostFacts) -> Finding:
    if facts.storage.has_quota:
        return ok("storage_quota", "quotas of folders are enforced", "目录无法超出其上限")
    return warn(
        "storage_quota",
        "folders are measured once a minute: until then they may exceed their quota",
        "目录大小每分钟检查一次；在此之前可能超出上限",
        f"# storage on XFS, mounted with prjquota in /etc/fstab: {facts.storage.path}",
    )


def _share_records(facts: HostFacts) -> Finding:
    """Check the share records: cards with an unreadable record take no further container."""
    if not facts.unread_shares:
        return ok("share_records", "records of GPU shares are readable", "共享记录可读取")
    names = ", ".join(facts.unread_shares)
    return warn(
        "share_records",
        f"unreadable records of GPU shares: {names}; their GPUs take no other work until these have ended",
        f"以下容器的共享记录无法读取：{names}；它们结束前，所占的卡不接受新工作",
    )


def _portal(facts: HostFacts) -> Finding:
    if not facts.portal_error:
        return ok("portal", "the portal answers", "门户可访问")
    return fail(
        "portal",
        f"the portal does not answer: {facts.portal_error}",
        f"无法访问门户：{facts.portal_error}",
    )


def _clock(facts: HostFacts) -> Finding:
    """Check the clock. Leases use the boot clock, but logs and time limits use this one."""
    offset, fix = facts.clock_offset_s, "timedatectl set-ntp true"
    if offset is None:
        return warn("clock", "the clock could not be compared", "未能核对时钟")
    text = (
        f"the clock differs by {offset:+.0f} s from the portal's",
        f"时钟与门户相差 {offset:+.0f} 秒",
    )
    if abs(offset) >= CLOCK_S_FAIL:
        return fail("clock", *text, fix)
    if abs(offset) >= CLOCK_S_WARN:
        return warn("clock", *text, fix)
    return ok("clock", "the clock agrees with the portal's", "时钟与门户一致")


def _inotify(facts: HostFacts) -> Finding:
    """Check the inotify limit: editors watch files, and all of a user's processes share the limit."""
    instances, watches = facts.inotify_instances, facts.inotify_watches
    if instances is None or watches is None:
        return warn("inotify", "the inotify limits are not known", "无法得知 inotify 限制")
    if instances >= INOTIFY_INSTANCES and watches >= INOTIFY_WATCHES:
        return ok("inotify", "the inotify limits are sufficient", "inotify 限制足够")
    return warn(
        "inotify",
        f"only {instances} inotify instances and {watches} watches for all notebooks together",
        f"所有 Notebook 合计仅 {instances} 个 inotify 实例、{watches} 个监视",
        f"sysctl -w fs.inotify.max_user_instances={INOTIFY_INSTANCES} "
        f"fs.inotify.max_user_watches={INOTIFY_WATCHES * 8}",
    )


def _open_files(facts: HostFacts) -> Finding:
    if facts.open_files >= OPEN_FILES:
        return ok("open_files", "the limit of open files is sufficient", "可打开的文件数足够")
    return warn(
        "open_files",
        f"the agent may open only {facts.open_files} files",
        f"代理最多只能打开 {facts.open_files} 个文件",
        f"systemctl edit berth-agent   # [Service] LimitNOFILE={OPEN_FILES * 8}",
    )
