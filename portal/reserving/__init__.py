"""Making advance reservations: chosen on the work that exists, replaced when cards fail, given back unused."""
