"""Notebooks: what users do with them, and how a browser is let into one."""
