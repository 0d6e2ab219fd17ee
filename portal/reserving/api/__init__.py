"""Endpoints of advance reservations."""
