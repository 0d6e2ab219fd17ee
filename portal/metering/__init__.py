"""What was held and used, by day: the meter derived from the ledger, prices, reports."""
