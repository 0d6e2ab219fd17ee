"""A site with a mail server that keeps what it is given."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.test import override_settings

from tests.site_config import override_site_config
from tests.smtp_sink import SmtpSink, smtp_sink


@contextmanager
def site_with_mail() -> Iterator[SmtpSink]:
    """Let the site send its mails to a server of its own for the length of a block."""
    backend = "django.core.mail.backends.smtp.EmailBackend"
    with (
        smtp_sink() as found,
        override_settings(
            EMAIL_BACKEND=backend,
            EMAIL_HOST="127.0.0.1",
            EMAIL_PORT=found.port,
            EMAIL_USE_TLS=False,
        ),
        override_site_config(sends_mail=True),
    ):
        yield found
