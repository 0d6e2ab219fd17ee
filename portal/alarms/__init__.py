"""Alarm rules, what they find, and what they do about it."""
