"""What every REST endpoint shares: views, input, pages of lists, problem documents, idempotency."""
