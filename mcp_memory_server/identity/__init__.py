"""Who makes a call."""
