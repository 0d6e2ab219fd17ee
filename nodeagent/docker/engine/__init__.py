"""Calls to the Docker engine: deadlines, liveness, error codes, minimum versions."""
