"""Volumes: folders that outlive work, of one user (their home) or of one group."""
