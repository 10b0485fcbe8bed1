"""Verifiable credentials for shared memory: pure, bytes in and bytes out.

No network, no files, no processes. Start at ``credentials.verify`` and ``credentials.memory_claim``.
"""
