"""Bytes of files in volumes, into and out of the platform, and of outputs, streamed by the live process."""
