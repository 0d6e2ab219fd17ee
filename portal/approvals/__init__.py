"""Requests for more than a limit allows, and the decisions of those who may grant it."""
