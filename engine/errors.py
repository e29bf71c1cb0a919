"""Every error that the library raises on purpose.

FactfoldError
├── InputError          a message, argument or file that cannot be used
│   ├── ScopeError      no user_id, agent_id or run_id, or one that does not own the memory
│   └── FilterError     a search filter that makes no sense
├── NotFoundError       no memory, version or decision of that id
├── StoreError          the database cannot be opened, is damaged, or is from a newer release
├── ModelError          a trained artefact is missing or does not match the code
└── MissingExtraError   an optional dependency is not installed

Each carries a stable code in its message, ``[F001]``, and says what to do about it.
"""

from __future__ import annotations


class FactfoldError(Exception):
    """Base of all errors raised on purpose.

    Parameters
    ----------
    code : str
        A stable code such as ``F001``.
    message : str
        What is wrong and what to do about it.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"[{code}] {message}")
        self.code = code


class InputError(FactfoldError, ValueError):
    """A message, argument or file that cannot be used."""


class ScopeError(InputError):
    """No scope was given, or the memory belongs to another one."""


class FilterError(InputError):
    """A filter that makes no sense."""


class NotFoundError(FactfoldError, KeyError):
    """No memory, version or decision of that id."""

    def __str__(self) -> str:  # KeyError would print the repr
        return str(self.args[0])


class StoreError(FactfoldError):
    """The database cannot be opened, is damaged, or is from a newer release."""


class ModelError(FactfoldError):
    """A trained artefact is missing or does not match the code."""


class MissingExtraError(FactfoldError, ImportError):
    """An optional dependency is not installed."""
