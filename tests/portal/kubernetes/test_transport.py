"""Requests over https: what is shown to the server, and what is believed of it."""

import json
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from typing_extensions import override

from portal.common.clock import now
from portal.kubernetes.access import ClusterAccess
from portal.kubernetes.transport import MERGE, HttpApi, KubeError, KubeRequest


@dataclass
class Server:
    """An API server that notes what it was sent."""

    access: ClusterAccess
    heard: list[dict[str, object]] = field(default_factory=list)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """Serve over https with a certificate of its own."""
    certificate, key = a_certificate()
    (tmp_path / "pem").write_text(certificate + key, encoding="utf-8")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "pem")
    heard: list[dict[str, object]] = []

    class Handler(BaseHTTPRequestHandler):
        """Answers everything with 201, and notes it."""

        def do_PATCH(self) -> None:
            """Note a request."""
            body = self.rfile.read(int(self.headers["Content-Length"]))
            wanted = ("Authorization", "Content-Type")
            told = {name: self.headers[name] for name in wanted}
            heard.append({"path": self.path, "body": json.loads(body), **told})
            self.send_response(201)
            self.end_headers()
            self.wfile.write(b'{"kind": "Pod"}')

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        found.socket = context.wrap_socket(found.socket, server_side=True)
        thread = threading.Thread(target=found.serve_forever, args=(0.05,))
        thread.start()
        port = found.server_address[1]
        yield Server(ClusterAccess(f"https://127.0.0.1:{port}", certificate, "secret"), heard)
        found.shutdown()
        thread.join()


def a_certificate() -> tuple[str, str]:
    """Return a certificate of 127.0.0.1 that has signed itself, and its key, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "here")])
    begin = now() - timedelta(days=1)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=3))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    )
    certificate = builder.sign(key, hashes.SHA256())
    coded = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode(), coded.decode()


REQUEST = KubeRequest("PATCH", "/api/v1/pods/a", {"timeout": "20s", "x": "a=b"}, {"a": 1}, MERGE)


def test_a_request_is_sent_as_it_is(server: Server) -> None:
    answer = HttpApi(server.access).send(REQUEST)
    assert (answer.status, answer.json()) == (201, {"kind": "Pod"})
    assert server.heard == [
        {
            "path": "/api/v1/pods/a?timeout=20s&x=a%3Db",
            "body": {"a": 1},
            "Authorization": "Bearer secret",
            "Content-Type": "application/merge-patch+json",
        }
    ]


def test_a_server_that_somebody_else_signed_hears_no_token(server: Server) -> None:
    other, _ = a_certificate()
    for access in (replace(server.access, authority=other), replace(server.access, authority="")):
        with pytest.raises(KubeError, match="certificate verify failed"):
            HttpApi(access).send(REQUEST)
    assert server.heard == []


def test_checks_are_left_out_where_that_was_asked_for(server: Server) -> None:
    access = replace(server.access, authority="", verifies=False)
    assert HttpApi(access).send(REQUEST).status == 201


def test_a_client_certificate_is_shown_instead_of_a_token(server: Server) -> None:
    certificate, key = a_certificate()
    access = replace(server.access, token="", certificate=certificate, key=key)
    assert HttpApi(access).send(REQUEST).status == 201
    assert server.heard[0]["Authorization"] is None


def test_who_does_not_answer_is_an_error_without_a_status() -> None:
    with pytest.raises(KubeError) as failed:
        HttpApi(ClusterAccess("https://127.0.0.1:9", token="secret")).send(REQUEST)
    assert failed.value.status == 0
    assert "secret" not in str(failed.value)
