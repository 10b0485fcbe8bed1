"""Work that keeps the store in order: safe to run twice, and from several processes."""
