"""Which hosts a platform may give to apps: the cookies of the portal and theirs must never meet."""

import pytest
from pydantic import ValidationError

from deploy.onebox.options import parse_options
from portal.config.env import Env

PORTAL, APPS = "https://berth.example.org", "https://notebooks.example.org"


def an_env(hosts: str, portal: str = PORTAL, apps: str = APPS) -> Env:
    return Env(
        secret_key="s",
        database_url="postgresql://x/y",
        portal_url=portal,
        apps_url=apps,
        apps_hosts=hosts,
    )


@pytest.mark.parametrize(
    ("hosts", "portal", "apps"),
    [
        ("", PORTAL, APPS),
        ("https://*.apps.example.org", PORTAL, APPS),
        ("https://*.apps.example.org:8443", PORTAL, APPS),
        ("https://*.notebooks.example.org", PORTAL, APPS),
        ("https://*.otherberth.example.org", PORTAL, APPS),
        ("http://*.localhost:8001", "http://127.0.0.1:8000", "http://localhost:8001"),
    ],
)
def test_hosts_apart_from_the_portal_are_taken(hosts: str, portal: str, apps: str) -> None:
    assert an_env(hosts, portal, apps).apps_hosts == hosts


@pytest.mark.parametrize(
    ("hosts", "portal", "fault"),
    [
        ("https://apps.example.org", PORTAL, "one * as the first label"),
        ("https://*.*.example.org", PORTAL, "one * as the first label"),
        ("https://*.berth.example.org", PORTAL, "above or below"),
        ("https://*.BERTH.example.org", PORTAL, "above or below"),
        ("https://*.berth.example.org:8443", PORTAL, "above or below"),
        ("https://*.example.org", PORTAL, "above or below"),
        ("https://*.apps.berth.example.org", PORTAL, "above or below"),
        ("http://*.apps.example.org", PORTAL, "scheme"),
        ("http://*.localhost:8001", "http://localhost:8000", "above or below"),
    ],
)
def test_hosts_that_could_share_cookies_with_the_portal_end_the_start(
    hosts: str, portal: str, fault: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        an_env(hosts, portal)
    assert fault in str(refused.value)


def test_make_run_has_hosts_that_browsers_find_on_this_machine() -> None:
    options = parse_options(["--apps-port", "9001"])
    taken = an_env(options.apps_hosts, options.portal_url, options.apps_url)
    assert taken.apps_hosts == "http://*.localhost:9001"
