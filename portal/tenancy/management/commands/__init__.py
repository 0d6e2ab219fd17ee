"""Management commands of tenancy."""
