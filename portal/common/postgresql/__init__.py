"""Django's PostgreSQL backend: pooled connections that are checked before they are used, and array literals."""
