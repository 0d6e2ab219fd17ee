"""REST endpoints of notebooks, and tickets that open them."""
