"""What is written from the code: `docs/reference`, and the kinds and sentences of the pages."""
