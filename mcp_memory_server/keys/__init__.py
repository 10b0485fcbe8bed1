"""Key vault adapters (sealed file, OS keyring) and the worker process around didkit."""
