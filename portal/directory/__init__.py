"""Directories of the organisation: whom they know, and which roles their groups mean here.

`mapping` and `plans` decide purely; dry runs and application share the same plan. SCIM clients and sign-ins write down
what a directory says (`accounts`, `external_groups`), `application` brings people to it, by the writers of
`portal.tenancy`.
"""
