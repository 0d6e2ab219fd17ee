"""Hosts whose time is wrong, or goes faster."""
