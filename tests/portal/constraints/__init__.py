"""Every constraint and trigger of the database, each provoked by the smallest rows it refuses."""
