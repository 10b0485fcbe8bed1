"""Decentralized identifiers from bytes that the caller fetched: key, jwk, web, webvh, pkh."""
