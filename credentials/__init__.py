"""credentials."""
