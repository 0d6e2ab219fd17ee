"""Who writes which table: read from the text of the product, by what its expressions are."""
