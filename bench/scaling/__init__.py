"""Rules of scaling on traces of requests, beside an oracle with the same cold starts."""
