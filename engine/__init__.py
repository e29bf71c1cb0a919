"""factfold: the memory that takes back what is no longer true, with no language model in it."""

from engine.aio import AsyncMemory
from engine.errors import (
    FactfoldError,
    FilterError,
    InputError,
    MissingExtraError,
    ModelError,
    NotFoundError,
    ScopeError,
    StoreError,
)
from engine.memory import Memory
from engine.types import Decision, Fact, Operation

__version__ = "0.1.0"

__all__ = [
    "AsyncMemory",
    "Decision",
    "Fact",
    "FactfoldError",
    "FilterError",
    "InputError",
    "Memory",
    "MissingExtraError",
    "ModelError",
    "NotFoundError",
    "Operation",
    "ScopeError",
    "StoreError",
]
