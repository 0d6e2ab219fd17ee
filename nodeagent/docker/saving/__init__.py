"""Saving a running container as an image in a registry."""
