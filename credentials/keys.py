"""Public and private keys: strict import, JWK, Multikey, thumbprints, raw signatures.

A key knows its type and so its algorithms; nothing in a token can change that. The mathematics is
that of ``cryptography``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from credentials.algorithms import SIGNING, KeyType, check_key, preferred
from credentials.encoding import b64url_decode, b64url_encode, json_encode
from credentials.errors import CredentialError, KeyRefusedError
from credentials.multibase import multibase_decode, multibase_encode

_SECRET_BYTES: Final = 32
# Bytes of a coordinate (RFC 7518 section 6.2.1.2), of an Ed25519 key, and of half a signature.
_SIZE: Final[dict[KeyType, int]] = {
    KeyType.P256: 32,
    KeyType.ED25519: 32,
    KeyType.SECP256K1: 32,
    KeyType.P384: 48,
    KeyType.P521: 66,
}
_CACHED_KEYS: Final = 1_024  # imported public keys
_EC_CURVES: Final[dict[KeyType, ec.EllipticCurve]] = {
    KeyType.P256: ec.SECP256R1(),
    KeyType.SECP256K1: ec.SECP256K1(),
    KeyType.P384: ec.SECP384R1(),
    KeyType.P521: ec.SECP521R1(),
}
# Multicodec varints of compressed public keys (Controlled Identifiers 1.0 section 2.2.2, did:key).
_MULTICODEC: Final[dict[bytes, KeyType]] = {
    b"\x80\x24": KeyType.P256,
    b"\xed\x01": KeyType.ED25519,
    b"\xe7\x01": KeyType.SECP256K1,
    b"\x81\x24": KeyType.P384,
    b"\x82\x24": KeyType.P521,
}
_PREFIX: Final = {key_type: prefix for prefix, key_type in _MULTICODEC.items()}
_FIELD: Final = 2**255 - 19
# y coordinates of the points whose order divides eight (RFC 8032 section 5.1, RFC 7748 security notes);
# a test recomputes them with its own curve arithmetic.
_ORDER_EIGHT_Y: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL_ORDER_Y: Final = frozenset({0, 1, _FIELD - 1, _ORDER_EIGHT_Y, _FIELD - _ORDER_EIGHT_Y})
_ECDSA: Final = ec.ECDSA(hashes.SHA256())  # made once; ES256 and ES256K both hash with SHA-256
# Each other curve has its one hash function (RFC 7518 section 3.4).
_LONGER_ECDSA: Final = {KeyType.P384: ec.ECDSA(hashes.SHA384()), KeyType.P521: ec.ECDSA(hashes.SHA512())}

_CryptoPublic = ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey
Rng = Callable[[int], bytes]


def _check_ed25519(raw: bytes) -> None:
    # The one constant signature of the identity key verifies for every message, and OpenSSL takes it.
    y = int.from_bytes(raw, "little") & ((1 << 255) - 1)
    if y >= _FIELD or y in _SMALL_ORDER_Y:
        raise KeyRefusedError("key_small_order")


def _coordinate(jwk: Mapping[str, Any], name: str, size: int) -> bytes:
    text = jwk.get(name)
    if not isinstance(text, str):
        raise KeyRefusedError("key_malformed", f"{name} is missing")
    try:
        raw = b64url_decode(text)
    except CredentialError as error:
        raise KeyRefusedError("key_malformed", f"{name} is not base64url") from error
    if len(raw) != size:
        raise KeyRefusedError("key_malformed", f"{name} does not have {size} bytes")
    return raw


def _jwk_type(jwk: Mapping[str, Any]) -> KeyType:
    kty, crv = jwk.get("kty"), jwk.get("crv")
    if kty not in ("EC", "OKP"):
        raise KeyRefusedError("key_type_refused")
    for key_type in KeyType:
        if crv == key_type.value and (kty == "OKP") == (key_type is KeyType.ED25519):
            return key_type
    raise KeyRefusedError("key_curve_refused")


def _check_use(jwk: Mapping[str, Any], key_type: KeyType) -> None:
    if jwk.get("use", "sig") != "sig":
        raise KeyRefusedError("key_use_refused")
    operations = jwk.get("key_ops", ["verify"])
    if not isinstance(operations, list) or not {"verify", "sign"} & {str(item) for item in operations}:
        raise KeyRefusedError("key_use_refused")
    if "alg" in jwk:
        try:
            check_key(str(jwk["alg"]), key_type)
        except KeyRefusedError as error:
            raise KeyRefusedError("key_use_refused", "the JWK is for another algorithm") from error


class PublicKey:
    """A public key of an accepted type. Build it with ``from_jwk``, ``from_multikey`` or ``from_raw``."""

    __slots__ = ("__dict__", "_crypto", "_ecdsa", "_size", "key_type")

    def __init__(self, key_type: KeyType, crypto: _CryptoPublic) -> None:
        self.key_type = key_type
        self._crypto = crypto
        self._size = _SIZE[key_type]
        self._ecdsa = _LONGER_ECDSA.get(key_type, _ECDSA)

    @classmethod
    def from_jwk(cls, jwk: object) -> PublicKey:
        """Import a public JWK (RFC 7517 section 4, RFC 7518 section 6.2, RFC 8037 section 2).

        Refused: private or symmetric material, other types and curves, points off the curve or of
        small order, ``use``, ``key_ops`` or ``alg`` for something else.
        """
        if not isinstance(jwk, Mapping):
            raise KeyRefusedError("key_malformed", "not a JSON object")
        if "d" in jwk or "k" in jwk:
            raise KeyRefusedError("key_private_refused")
        key_type = _jwk_type(jwk)
        if len(jwk) > (3 if key_type is KeyType.ED25519 else 4):
            _check_use(jwk, key_type)
        size = _SIZE[key_type]
        x = _coordinate(jwk, "x", size)
        if key_type is KeyType.ED25519:
            return cls._ed25519(x)
        return cls._point(key_type, b"\x04" + x + _coordinate(jwk, "y", size))

    @classmethod
    def from_raw(cls, key_type: KeyType, raw: bytes) -> PublicKey:
        """Import 32 bytes of Ed25519 (RFC 8032) or a compressed SEC 1 point."""
        if key_type is KeyType.ED25519:
            if len(raw) != _SIZE[key_type]:
                raise KeyRefusedError("key_malformed", "not 32 bytes")
            return cls._ed25519(raw)
        if len(raw) != _SIZE[key_type] + 1 or raw[0] not in (2, 3):
            raise KeyRefusedError("key_malformed", "not a compressed point")
        return cls._point(key_type, raw)

    @classmethod
    def from_multikey(cls, text: str) -> PublicKey:
        """Import a ``publicKeyMultibase`` value (Controlled Identifiers 1.0 section 2.2.2)."""
        try:
            data = multibase_decode(text)
        except CredentialError as error:
            raise KeyRefusedError("key_malformed", "not multibase") from error
        key_type = _MULTICODEC.get(data[:2])
        if key_type is None:
            raise KeyRefusedError("key_curve_refused", "unknown multicodec prefix")
        return cls.from_raw(key_type, data[2:])

    @classmethod
    def _ed25519(cls, raw: bytes) -> PublicKey:
        _check_ed25519(raw)
        return cls(KeyType.ED25519, ed25519.Ed25519PublicKey.from_public_bytes(raw))

    @classmethod
    def _point(cls, key_type: KeyType, point: bytes) -> PublicKey:
        return _import_point(key_type, point)

    @property
    def raw(self) -> bytes:
        """The Ed25519 bytes (RFC 8032) or the compressed SEC 1 point."""
        if isinstance(self._crypto, ed25519.Ed25519PublicKey):
            return self._crypto.public_bytes(Encoding.Raw, PublicFormat.Raw)
        return self._crypto.public_bytes(Encoding.X962, PublicFormat.CompressedPoint)

    def to_jwk(self) -> dict[str, str]:
        """Export the required members of the public JWK (RFC 7517, RFC 8037 section 2)."""
        if isinstance(self._crypto, ed25519.Ed25519PublicKey):
            return {"kty": "OKP", "crv": self.key_type.value, "x": b64url_encode(self.raw)}
        point = self._crypto.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)[1:]
        x, y = point[: self._size], point[self._size :]
        return {"kty": "EC", "crv": self.key_type.value, "x": b64url_encode(x), "y": b64url_encode(y)}

    def to_multikey(self) -> str:
        """Export as ``publicKeyMultibase`` (Controlled Identifiers 1.0 section 2.2.2)."""
        return multibase_encode(_PREFIX[self.key_type] + self.raw)

    def thumbprint(self) -> str:
        """JWK thumbprint with SHA-256 (RFC 7638 section 3)."""
        members = dict(sorted(self.to_jwk().items()))
        return b64url_encode(hashlib.sha256(json_encode(members)).digest())

    def verify(self, data: bytes, signature: bytes) -> bool:
        """Raw signature check: r and s of ECDSA side by side (RFC 7518 section 3.4), Ed25519 (RFC 8032).

        The hash function is the one of the curve: nothing in a token can choose another.
        """
        size = self._size
        if len(signature) != 2 * size:
            return False
        try:
            if isinstance(self._crypto, ed25519.Ed25519PublicKey):
                self._crypto.verify(signature, data)
            else:
                r = int.from_bytes(signature[:size], "big")
                s = int.from_bytes(signature[size:], "big")
                self._crypto.verify(encode_dss_signature(r, s), data, self._ecdsa)
        except InvalidSignature:
            return False
        return True

    @property
    def signature_bytes(self) -> int:
        """How long every signature of this key is (RFC 7518 section 3.4, RFC 8032)."""
        return 2 * self._size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PublicKey) and self.key_type is other.key_type and self.raw == other.raw

    def __hash__(self) -> int:
        return hash((self.key_type, self.raw))

    def __repr__(self) -> str:
        return f"PublicKey({self.to_multikey()})"


@lru_cache(maxsize=_CACHED_KEYS)
def _import_point(key_type: KeyType, point: bytes) -> PublicKey:
    """Import a point once: the check that it lies on the curve costs as much as the rest of a small token."""
    try:
        crypto = ec.EllipticCurvePublicKey.from_encoded_point(_EC_CURVES[key_type], point)
    except ValueError as error:
        raise KeyRefusedError("key_malformed", "not a point of the curve") from error
    return PublicKey(key_type, crypto)


class PrivateKey:
    """A signing key in memory. Its text form never shows the secret."""

    __slots__ = ("__dict__", "_crypto", "alg", "key_type")

    def __init__(self, key_type: KeyType, crypto: ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey) -> None:
        self.key_type = key_type
        self.alg = preferred(key_type)  # the JOSE algorithm name that this key writes (RFC 9864)
        self._crypto = crypto

    @classmethod
    def generate(cls, key_type: KeyType = KeyType.P256, *, rng: Rng | None = None) -> PrivateKey:
        """Make a key: P-256 by default, Ed25519 on request (RFC 7518 section 3.4, RFC 8032 section 5.1.5).

        Without ``rng`` OpenSSL's own generator is used; with it the secret comes from those bytes.
        secp256k1 keys live in wallets, P-384 and P-521 keys with other issuers: none are made here.
        """
        if key_type not in SIGNING:
            raise KeyRefusedError("key_curve_refused", "keys of this type are only verified")
        if rng is not None:
            return cls.from_secret(key_type, rng(_SECRET_BYTES))
        if key_type is KeyType.ED25519:
            return cls(key_type, ed25519.Ed25519PrivateKey.generate())
        return cls(key_type, ec.generate_private_key(_EC_CURVES[key_type]))

    @classmethod
    def from_secret(cls, key_type: KeyType, secret: bytes) -> PrivateKey:
        """Rebuild from the 32 secret bytes (RFC 8032 seed, RFC 7518 section 6.2.2.1 ``d``)."""
        if key_type in _LONGER_ECDSA:
            raise KeyRefusedError("key_curve_refused", "keys of this type are only verified")
        if len(secret) != _SECRET_BYTES:
            raise KeyRefusedError("key_malformed", "not 32 bytes")
        if key_type is KeyType.ED25519:
            return cls(key_type, ed25519.Ed25519PrivateKey.from_private_bytes(secret))
        try:
            crypto = ec.derive_private_key(int.from_bytes(secret, "big"), _EC_CURVES[key_type])
        except ValueError as error:
            raise KeyRefusedError("key_malformed", "the secret is out of range") from error
        return cls(key_type, crypto)

    @classmethod
    def from_jwk(cls, jwk: Mapping[str, Any]) -> PrivateKey:
        """Import a private JWK (RFC 7517, RFC 8037); its public part must be the one of the secret."""
        key_type = _jwk_type(jwk)
        key = cls.from_secret(key_type, _coordinate(jwk, "d", _SIZE[key_type]))
        public = PublicKey.from_jwk({name: value for name, value in jwk.items() if name != "d"})
        if public != key.public:
            raise KeyRefusedError("key_malformed", "public and private part differ")
        return key

    @cached_property
    def public(self) -> PublicKey:
        """The public half."""
        return PublicKey(self.key_type, self._crypto.public_key())

    @property
    def secret(self) -> bytes:
        """The 32 secret bytes, for sealing only (RFC 8032 seed, RFC 7518 ``d``)."""
        if isinstance(self._crypto, ed25519.Ed25519PrivateKey):
            return self._crypto.private_bytes_raw()
        return self._crypto.private_numbers().private_value.to_bytes(_SECRET_BYTES, "big")

    def sign(self, data: bytes) -> bytes:
        """Raw signature in JOSE form (RFC 7518 section 3.4, RFC 8032)."""
        if isinstance(self._crypto, ed25519.Ed25519PrivateKey):
            return self._crypto.sign(data)
        r, s = decode_dss_signature(self._crypto.sign(data, _ECDSA))
        return r.to_bytes(_SECRET_BYTES, "big") + s.to_bytes(_SECRET_BYTES, "big")

    def __repr__(self) -> str:
        return f"PrivateKey({self.public.to_multikey()})"
