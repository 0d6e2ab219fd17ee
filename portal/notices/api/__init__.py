"""Endpoints of notices."""
