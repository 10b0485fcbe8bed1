"""Session memory: what a conversation is about right now. Bounded, versioned, and never the only copy."""
