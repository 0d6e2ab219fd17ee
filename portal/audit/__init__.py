"""The audit log: one table, one writer."""
