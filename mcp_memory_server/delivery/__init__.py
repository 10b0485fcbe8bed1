"""Telling other programs that a trigger fired: webhooks, commands, and the courier that sees to it."""
