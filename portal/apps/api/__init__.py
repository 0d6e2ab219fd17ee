"""REST endpoints of web apps."""
