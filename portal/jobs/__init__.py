"""Training jobs: what users do with them, and the files that they leave."""
