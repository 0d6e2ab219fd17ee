"""REST endpoints of sessions of web apps."""
