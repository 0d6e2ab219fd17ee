"""Directories that are asked by LDAP: sign-in with their passwords, and people and groups at intervals."""
