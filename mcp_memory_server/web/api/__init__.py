"""The HTTP API: the tools' own functions, schemas and errors under paths."""
