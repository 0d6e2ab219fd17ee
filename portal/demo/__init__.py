"""The organisation of the story: what `seed_demo` writes so that the platform shows itself."""
