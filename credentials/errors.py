"""One error tree for the package; every refusal carries a stable code.

Codes are a public contract: callers, logs and the command line rely on them, texts are
only for people. A code that is not in ``CODES`` cannot be raised.
"""

from __future__ import annotations

from credentials.codes import CODES


class CredentialError(Exception):
    """Base of all errors of this package.

    ``code`` is stable and listed in ``credentials.codes.CODES``. ``str()`` is short and holds no
    claim value, key or secret; ``diagnostics()`` adds what helps a person to act.
    """

    def __init__(self, code: str, message: str | None = None, *, hint: str | None = None) -> None:
        if code not in CODES:
            raise LookupError(f"unregistered code {code!r}")
        self.code = code
        self.message = message or CODES[code]
        self.hint = hint
        super().__init__(f"{code}: {self.message}")

    def diagnostics(self) -> str:
        """Text for a person (contract section 2 form): code, meaning, what was found, what to do."""
        lines = [f"{self.code}: {CODES[self.code]}"]
        if self.message != CODES[self.code]:
            lines.append(f"found: {self.message}")
        if self.hint:
            lines.append(f"next: {self.hint}")
        return "\n".join(lines)


class ConfigurationError(CredentialError):
    """The caller's own set-up is unsafe or incomplete; raised before anything is verified."""


class MalformedError(CredentialError):
    """The bytes are not what the format requires."""


class LimitError(CredentialError):
    """A named limit was passed; nothing beyond it was read."""


class KeyRefusedError(CredentialError):
    """A key may not be imported or may not be used for this."""


class ProofError(CredentialError):
    """A signature or proof does not hold."""


class TimeRefusedError(CredentialError):
    """A date is outside its window or not a date."""


class IssuerRefusedError(CredentialError):
    """The issuer is unknown, not trusted for this, or did not own the key."""


class DisclosureError(CredentialError):
    """Disclosures and digests of an SD-JWT do not fit each other."""


class ClaimsRefusedError(CredentialError):
    """The claims do not fit the type of the credential."""


class BindingError(CredentialError):
    """The presentation is not bound to this holder, verifier, request or transaction."""


class StatusRefusedError(CredentialError):
    """The status cannot be established or is not valid."""


class DidError(CredentialError):
    """A decentralized identifier or its document is not acceptable."""


class ConsentError(CredentialError):
    """A consent record does not allow what was asked."""


class DelegationError(CredentialError):
    """A wallet's or passkey's delegation does not hold."""


class VaultError(CredentialError):
    """A sealed envelope or a key ring cannot be used."""
