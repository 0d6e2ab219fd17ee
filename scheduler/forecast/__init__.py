"""Demand by hour: models, their accuracy on a site's own past, and intervals that hold as often as said."""
