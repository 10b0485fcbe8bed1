"""Vectors and full text on Weaviate: one collection, in it one tenant for each user."""
