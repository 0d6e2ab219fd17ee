"""REST endpoints of accounts, members, robots, tokens, keys and the audit log."""
