"""Templates: slots to one line of text."""
