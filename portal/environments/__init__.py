"""Notebooks: their life cycle, and the tickets and grants with which a browser opens them."""
