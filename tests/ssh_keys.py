"""SSH keys as people have them."""

import asyncssh


def a_key(algorithm: str = "ssh-ed25519", **options: int) -> tuple[str, str]:
    """Make a key and return its line, with a comment, and what OpenSSH calls its fingerprint."""
    key = asyncssh.generate_private_key(algorithm, comment="me@laptop", **options)
    return key.export_public_key().decode(), key.get_fingerprint()
