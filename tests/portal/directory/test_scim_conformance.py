"""The SCIM server under the published tests of the protocol."""

import pytest
from django.core.wsgi import get_wsgi_application
from scim2_client.engines.wsgi import WSGISCIMClient
from scim2_tester import Status, check_server

from tests.builders.directories import ScimServer, a_directory

# Requests of WSGI close the connection at their end.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


def test_the_published_tests_find_no_fault() -> None:
    server = ScimServer(a_directory())
    client = WSGISCIMClient(
        get_wsgi_application(),
        base_url="http://localhost/scim/v2",
        headers={"Authorization": f"Bearer {server.token}"},
    )

    results = check_server(client)

    faults = [
        f"{result.title} {result.resource_type}: {result.reason}"
        for result in results
        if result.status in (Status.ERROR, Status.CRITICAL)
    ]
    assert not faults, "\n".join(faults)
    assert sum(result.status is Status.SUCCESS for result in results) > 100
