"""Endpoints of the site settings."""
