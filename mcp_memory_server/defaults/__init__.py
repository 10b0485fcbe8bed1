"""Defaults that come with the package: policy and vocabulary."""
