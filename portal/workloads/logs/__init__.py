"""Logs of work as the portal keeps them: their files, and when their lines were written."""
