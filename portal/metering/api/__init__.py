"""Endpoints of usage, prices and reports."""
