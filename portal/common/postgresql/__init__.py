"""Django's PostgreSQL backend with pooled connections that are checked before they are used."""
