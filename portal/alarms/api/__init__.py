"""Endpoints of alarms."""
