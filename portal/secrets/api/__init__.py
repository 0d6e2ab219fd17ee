"""Endpoints of secrets."""
