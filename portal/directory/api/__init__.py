"""Endpoints of directories: for administrators, and SCIM for the directories themselves."""
