"""Consent by keys that cannot sign tokens: Ethereum wallets and passkeys (optional extras)."""
