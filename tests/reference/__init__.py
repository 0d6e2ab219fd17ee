"""What is written from the code: the pages of `docs/reference`, and the sentences of the pages."""
