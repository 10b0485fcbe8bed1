"""The addresses of the gateway, one module for each concern."""
