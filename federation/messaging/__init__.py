"""Messages between agents: their form, the inbox that takes them, the outbox and the courier that bring them."""
