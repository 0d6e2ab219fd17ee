"""What is written from the code: the pages of `docs/reference`, and of the frontend its kinds and sentences."""
