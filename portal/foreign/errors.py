"""What ends a round of a cluster."""


class RoundFailedError(Exception):
    """A cluster did not answer as it should; it is left alone for a while."""

    def __init__(self, text: str, *, quiet_s: int = 0) -> None:
        """`quiet_s`: for how long at least."""
        super().__init__(text)
        self.quiet_s = quiet_s
