"""The server side of Berth: one Django app per domain."""

VERSION = "0.1.0"
