"""Bytes of files in volumes, into and out of the platform, streamed by the live process."""
