"""Credential types and their JSON Schemas; nothing is looked up outside what was registered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable

from credentials.errors import ClaimsRefusedError, ConfigurationError


class TypeRegistry:
    """Known types (``vct`` or VCDM type) with a compiled schema each; an empty registry is refused."""

    __slots__ = ("_types",)

    def __init__(self, schemas: Mapping[str, Mapping[str, Any]]) -> None:
        if not schemas:
            raise ConfigurationError("config_empty_policy", "no credential type is registered")
        self._types = {name: _compile(schema) for name, schema in schemas.items()}

    def known(self, names: Iterable[str]) -> list[str]:
        """The registered ones among the types of a credential (SD-JWT VC section 3.2.2.1)."""
        return [name for name in names if name in self._types]

    def check(self, names: Iterable[str], claims: Mapping[str, Any]) -> None:
        """Validate against every registered type (SD-JWT VC section 6.2, VCDM 2.0 section 4.11).

        ``vct_unknown`` when none is registered. The refusal names the place and never the value.
        """
        found = self.known(names)
        if not found:
            raise ClaimsRefusedError("vct_unknown")
        for name in found:
            try:
                problem = next(iter(self._types[name].iter_errors(claims)), None)
            except (Unresolvable, RecursionError) as error:
                raise ClaimsRefusedError("schema_malformed") from error
            if problem is not None:
                raise ClaimsRefusedError("schema_invalid", f"{problem.json_path}: {problem.validator}")


def _compile(schema: Mapping[str, Any]) -> Draft202012Validator:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ClaimsRefusedError("schema_malformed") from error
    # An explicit empty registry: without it the library would fetch a remote $ref.
    return Draft202012Validator(schema, registry=Registry())
