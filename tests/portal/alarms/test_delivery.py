"""Channels: a real receiver checks signatures; what fails is tried again, alone, and not for ever."""

import base64
import hashlib
import hmac
import json
import logging
from collections.abc import Callable, Iterator
from datetime import timedelta
from ipaddress import ip_network

import pytest

from portal.alarms import channels, services
from portal.alarms.delivery import deliver_alarms
from portal.alarms.kinds import AlarmKind
from portal.alarms.messages import build_test_payload, write_chat_message
from portal.alarms.models import Alarm, AlarmChannel, AlarmDelivery
from portal.audit.models import AuditEvent
from portal.common import encryption
from portal.common.actor import Actor
from portal.common.clock import freeze
from portal.common.errors import InvalidError
from portal.common.ids import new_id
from portal.outbound.addresses import read_chat_address, require_address
from portal.outbound.channels import IssuedChannel
from portal.outbound.chats import build_room
from portal.outbound.delivery import MESSAGE_ATTEMPTS_MAX
from portal.outbound.guard import OutboundGuard
from tests.builders.scenes import a_scene
from tests.portal.alarms.scenes import MINUTE, NOON, evaluate_at, heat, only_rule
from tests.serving import silent_port
from tests.webhook_receiver import Receiver, receiving

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
ADMIN = Actor.system("test")
HERE = ip_network("127.0.0.0/8")


@pytest.fixture
def receiver(set_site: Callable[..., None]) -> Iterator[Receiver]:
    """A receiver on this machine, which the site allows."""
    set_site(webhook_networks=(HERE,))
    with receiving() as found:
        yield found


def a_webhook(url: str, name: str = "hook") -> IssuedChannel[AlarmChannel]:
    given = {"kind": "webhook", "name": name, "address": url}
    return channels.create_channel(actor=ADMIN, given=given)


def fire_to(*found: AlarmChannel) -> None:
    """Let a hot card fire at noon, to these channels."""
    scene = a_scene()
    rule = only_rule(AlarmKind.GPU_HOT, duration_s=0)
    rule.channels.set(found)
    heat(scene, 95, NOON)
    evaluate_at(NOON)


def deliver_at(moment: object) -> int:
    with freeze(moment):  # type: ignore[arg-type]
        return deliver_alarms()


def test_a_webhook_is_signed_and_says_what_fires_and_what_has_resolved(
    receiver: Receiver,
) -> None:
    issued = a_webhook(receiver.url)
    fire_to(issued.channel)
    assert deliver_at(NOON) == 1
    for minute in range(1, 8):
        evaluate_at(NOON + minute * MINUTE)  # its sample is too old from the fourth on
    assert deliver_at(NOON + 8 * MINUTE) == 0

    ((headers, body),) = receiver.received
    key = base64.b64decode(issued.signing_secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert headers["webhook-timestamp"] == str(int(NOON.timestamp()))
    said = json.loads(body)
    assert said["id"] == headers["webhook-id"]
    assert said["type"] == "alarm.firing"
    assert said["alarms"][0]["value"] == 95
    issued.channel.refresh_from_db()
    assert issued.channel.delivered_at == NOON
    assert not AlarmDelivery.objects.exists()


def test_channels_hear_that_an_alarm_has_resolved(receiver: Receiver) -> None:
    issued = a_webhook(receiver.url)
    scene = a_scene()
    only_rule(AlarmKind.GPU_HOT, duration_s=0).channels.set([issued.channel])
    for minute in range(10):
        heat(scene, 95 if minute < 2 else 60, NOON + minute * MINUTE)
        evaluate_at(NOON + minute * MINUTE)
    deliver_at(NOON + 10 * MINUTE)
    types = [json.loads(body)["type"] for _, body in receiver.received]
    assert types == ["alarm.firing", "alarm.resolved"]


@pytest.mark.parametrize("end", ["disabled", "removed"])
def test_channels_hear_of_the_end_when_a_rule_is_disabled_or_removed(
    receiver: Receiver, end: str
) -> None:
    told, other = a_webhook(receiver.url), a_webhook(receiver.url, "other").channel
    scene = a_scene()
    rule = only_rule(AlarmKind.GPU_HOT, duration_s=0, is_shipped=False, name="hot")
    rule.channels.set([told.channel])
    heat(scene, 95, NOON)
    evaluate_at(NOON)
    Alarm.objects.create(  # silenced: nobody was notified of it
        rule=rule,
        subject_type="accelerator",
        subject_id=new_id(),
        subject_name="gpu-09 #0",
        value=95,
        state="firing",
        since=NOON,
        seen_at=NOON,
        fired_at=NOON,
    )
    with freeze(NOON + MINUTE):
        if end == "disabled":
            changes = {"enabled": False, "channels": [other.pk]}
            services.change_rule(actor=ADMIN, rule_id=rule.pk, changes=changes)
        else:
            services.remove_rule(actor=ADMIN, rule_id=rule.pk)
    assert {waiting.channel for waiting in AlarmDelivery.objects.all()} == {told.channel}
    deliver_at(NOON + MINUTE)
    firing, resolved = (json.loads(body) for _, body in receiver.received)
    assert (firing["type"], resolved["type"]) == ("alarm.firing", "alarm.resolved")
    assert [each["id"] for each in resolved["alarms"]] == [each["id"] for each in firing["alarms"]]


def test_a_refused_message_is_tried_again_with_the_same_id(receiver: Receiver) -> None:
    receiver.statuses = [503]
    channel = a_webhook(receiver.url).channel
    fire_to(channel)
    assert deliver_at(NOON) == 0
    channel.refresh_from_db()
    assert (channel.failed_at, channel.failure) == (NOON, "status_503")
    assert deliver_at(NOON + timedelta(seconds=59)) == 0
    assert deliver_at(NOON + MINUTE) == 1
    channel.refresh_from_db()
    assert (channel.failed_at, channel.failure) == (None, "")
    first, second = (headers["webhook-id"] for headers, _ in receiver.received)
    assert first == second


def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    receiver.statuses = [302]
    fire_to(a_webhook(receiver.url).channel)
    assert deliver_at(NOON) == 0
    assert len(receiver.received) == 1


def test_a_dead_channel_holds_up_no_other_and_is_given_up_in_the_end(receiver: Receiver) -> None:
    with silent_port() as port:
        dead = a_webhook(f"http://127.0.0.1:{port}/", "dead").channel
        alive = a_webhook(receiver.url, "alive").channel
        fire_to(dead, alive)
        assert deliver_at(NOON) == 1
        assert len(receiver.received) == 1
        moment = NOON
        for _ in range(1, MESSAGE_ATTEMPTS_MAX):
            moment += timedelta(hours=1)
            assert deliver_at(moment) == 0
    assert not AlarmDelivery.objects.exists()
    dead.refresh_from_db()
    assert dead.failure == "unreachable"


def test_an_address_is_nowhere_but_encrypted_in_its_row(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    receiver.statuses = [500]
    issued = a_webhook(receiver.url)
    fire_to(issued.channel)
    deliver_at(NOON)
    row = AlarmChannel.objects.get()
    assert "top-secret" not in str(vars(row))
    assert encryption.decrypt(row.encrypted_address) == receiver.url
    kept = [str(event.params) for event in AuditEvent.objects.all()]
    assert not any("top-secret" in text or issued.signing_secret in text for text in kept)
    assert "top-secret" not in caplog.text
    assert issued.signing_secret not in repr(issued)
    channels.encrypt_again()
    row.refresh_from_db()
    assert encryption.decrypt(row.encrypted_secret) == issued.signing_secret


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/hook",
        "https://127.0.0.1/hook",
        "https://10.1.2.3/hook",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/hook",
        "https://[::ffff:10.0.0.1]/hook",
        "https://[64:ff9b::7f00:1]/hook",
        "https://0.0.0.0/hook",
        "https://user:password@example.org/hook",
        "ftp://example.org/hook",
        "https:///hook",
        "https://example.org:99999/",
    ],
)
def test_an_address_that_must_not_be_reached_is_refused_when_it_is_entered(address: str) -> None:
    with pytest.raises(InvalidError):
        a_webhook(address)


@pytest.mark.parametrize("host", ["localhost", "127.1", "0x7f.1"])
def test_a_name_that_leads_into_the_installation_is_refused_when_it_is_sent(host: str) -> None:
    """What a name means may have changed since it was entered."""
    channel = a_webhook(f"https://{host}/hook").channel
    fire_to(channel)
    assert deliver_at(NOON) == 0
    channel.refresh_from_db()
    assert channel.failure in ("forbidden", "unreachable")
    if host == "localhost":
        assert channel.failure == "forbidden"


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    guard = OutboundGuard((), is_encrypted=True)
    assert guard.allows("93.184.216.34")
    assert guard.allows("2606:2800:220:1::1")
    assert not guard.allows("fe80::1%eth0")
    assert not guard.allows("100.64.0.1")
    assert not OutboundGuard((HERE,), is_encrypted=False).allows("93.184.216.34")
    assert OutboundGuard((HERE,), is_encrypted=False).allows("127.0.0.9")


CHATS = {
    "dingtalk": "https://oapi.dingtalk.com/robot/send?access_token=0a1b2c3d4e5f",
    "feishu": "https://open.feishu.cn/open-apis/bot/v2/hook/0a1b2c3d-4e5f",
    "lark": "https://open.larksuite.com/open-apis/bot/v2/hook/0a1b2c3d-4e5f",
    "wecom": "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a91f6-7aaa-4bc4-97a0-0ec2sifa5aaa",
    "slack": "https://hooks.slack.com/services/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",
    "teams": "https://prod-12.westeurope.logic.azure.com:443/workflows/abcd/triggers/manual/paths"
    "/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=xyz",
}


@pytest.mark.parametrize(("kind", "address"), CHATS.items())
def test_the_address_that_a_chat_shows_is_read_and_no_other_host_gets_in(
    kind: str, address: str
) -> None:
    assert require_address(kind, address, ()) in address
    found = read_chat_address(kind, address)
    assert found is not None
    assert build_room(kind, found, "SEC0123") is not None
    host = address.split("/")[2]
    for other in (f"{host}.evil.example", "127.0.0.1", f"evil.example/{host}", f"x@{host}"):
        with pytest.raises(InvalidError):
            require_address(kind, address.replace(host, other, 1), ())


def test_a_chat_reads_in_the_language_of_its_channel() -> None:
    title, text = write_chat_message(build_test_payload(), "zh-CN")
    assert title == "Berth：测试消息"
    assert "/alarms" in text
