"""The one vocabulary of the loop: what every stage takes and gives.

message → sentences → facts → neighbours → pairs → decision → versions

Everything here is frozen. No stage passes dicts, spaCy objects or database rows to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """The present moment in UTC; the default of every injectable clock."""
    return datetime.now(UTC)


class Role(StrEnum):
    """Who a message came from."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Operation(StrEnum):
    """What a fact does to the memory it touches."""

    ADD = "ADD"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    NOOP = "NOOP"


class Kind(StrEnum):
    """A ``state`` holds over time, an ``event`` happened, a ``plan`` is to happen."""

    STATE = "state"
    EVENT = "event"
    PLAN = "plan"


class Polarity(StrEnum):
    POSITIVE = "positive"
    NEGATIVE = "negative"


class Modality(StrEnum):
    """How far the speaker vouches for a fact: asserted, possible ("might move"), desired ("would love
    to"), intended ("am going to")."""

    ASSERTED = "asserted"
    POSSIBLE = "possible"
    DESIRED = "desired"
    INTENDED = "intended"


class Tense(StrEnum):
    PRESENT = "present"
    PERFECT = "perfect"
    PAST = "past"
    FUTURE = "future"


class Effect(StrEnum):
    """What a fact says about the state named by its attribute and object."""

    STATES = "states"
    STARTS = "starts"
    ENDS = "ends"


class Precision(StrEnum):
    """How exact a moment is known."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    MINUTE = "minute"


@dataclass(frozen=True, slots=True)
class Instant:
    """A moment of valid time: ``at`` is the start of the period that ``precision`` names, in UTC."""

    at: datetime
    precision: Precision = Precision.MINUTE


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory it is. The key that separates tenants is the user, else the agent, else the run."""

    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None

    @property
    def key(self) -> str:
        """The tenant key, e.g. ``user:ana``; empty where no id is given."""
        for name, value in (("user", self.user_id), ("agent", self.agent_id), ("run", self.run_id)):
            if value is not None:
                return f"{name}:{value}"
        return ""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. ``timestamp`` is aware and in UTC; ``id`` is given or derived, never random."""

    role: Role
    content: str
    id: str
    timestamp: datetime
    name: str | None = None

    @property
    def speaker(self) -> str:
        """Whom first-person statements are about: the name, else ``user`` (``assistant`` for its turns)."""
        return self.name or str(self.role)


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a parsed sentence, detached from spaCy.

    ``i`` and ``head`` are positions within the sentence (the root is its own head); ``start`` and ``end``
    are character offsets into the original message.
    """

    i: int
    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    ent: str = ""

    @property
    def low(self) -> str:
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A parsed sentence with its speaker and time.

    ``text`` is the verbatim span ``[start, end)`` of the message; ``quoted`` tells that it stands inside
    quotation marks or a quoted reply.
    """

    message: Message
    tokens: tuple[Token, ...]
    text: str
    start: int
    end: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A part of a fact beside its object: ``role`` is time, place, amount, manner or other."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """Where a fact stands in its message: character offsets and the verbatim text."""

    message_id: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """What a sentence asserts, split into comparable slots.

    ``text`` is the short statement that is stored. ``predicate`` is the lemma of the verb with its
    particle and preposition ("live in", "be allergic to"). ``attribute`` is the lexicon's name for what is
    told (None where the lexicon does not know). ``effect`` says whether the fact states, starts or ends
    what attribute and object name; ``bare`` marks an ending that is a mere retraction and leaves no
    memory of its own. ``correction`` marks an explicit correction of something said before. ``all_of``
    marks an ending of every member ("sold both cars"). ``cues`` are what its sentence says of its relation
    to what was before: now, also, again, instead; mention, where it is only presupposed.
    """

    subject: str
    predicate: str
    object: str
    text: str
    attribute: str | None = None
    polarity: Polarity = Polarity.POSITIVE
    modality: Modality = Modality.ASSERTED
    tense: Tense = Tense.PRESENT
    kind: Kind = Kind.STATE
    effect: Effect = Effect.STATES
    qualifiers: tuple[Qualifier, ...] = ()
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    span: Span | None = None
    said_at: datetime | None = None
    correction: bool = False
    bare: bool = False
    all_of: bool = False
    cues: tuple[str, ...] = ()

    def but(self, **changes: Any) -> Fact:
        """The same fact with some slots changed."""
        return replace(self, **changes)


class CommandKind(StrEnum):
    """What a message asks of the memory itself."""

    FORGET = "forget"
    RETRACT = "retract"


@dataclass(frozen=True, slots=True)
class Command:
    """An order to the memory: forget (or take back) what ``target`` names."""

    kind: CommandKind
    target: str
    span: Span


@dataclass(frozen=True, slots=True)
class Skip:
    """A piece of a message that left nothing behind, and why."""

    message_id: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where a memory came from: the sentence, and what stood around it in the message (empty where it stood alone)."""

    message_id: str
    text: str
    timestamp: datetime
    speaker: str
    role: Role = Role.USER
    context: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """One form of a memory. ``number`` counts in the order of recording; ``void`` means that it was
    retracted or corrected, so it was true at no moment."""

    memory_id: str
    number: int
    fact: Fact
    hash: str
    valid_from: Instant | None
    valid_to: Instant | None
    recorded_at: datetime
    void: bool = False


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory as the store gives it: its identity, scope and the version that answers the question."""

    id: str
    scope: Scope
    version: Version
    created_at: datetime
    updated_at: datetime
    metadata: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()
    tombstone: str | None = None

    @property
    def fact(self) -> Fact:
        return self.version.fact


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A live memory that a fact might touch, with the cosine of the two texts in [-1, 1]."""

    memory: Stored
    similarity: float


@dataclass(frozen=True, slots=True)
class Alignment:
    """How well the words of two texts find each other: for each side the mean and the least, over its
    words, of the best cosine with a word of the other side (as in BERTScore, Zhang et al. 2020)."""

    existing_mean: float = 0.0
    candidate_mean: float = 0.0
    existing_least: float = 0.0
    candidate_least: float = 0.0


@dataclass(frozen=True, slots=True)
class Pair:
    """An existing and a candidate fact with the cosines of their texts, predicates and objects, the
    alignment of their words, and what the difference of their embeddings suggests (a logit for each
    operation)."""

    existing: Fact
    candidate: Fact
    text_cosine: float
    predicate_cosine: float
    object_cosine: float
    alignment: Alignment = Alignment()
    meaning: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The classifier's answer for one pair: ``probabilities`` in the order of the model's classes,
    ``rule`` the name of the rule that forced the answer, if one did; ``costs`` what each operation was
    expected to cost, ``ruled_out`` which were impossible and why."""

    operation: Operation
    predicted: Operation
    probabilities: Mapping[Operation, float]
    features: tuple[float, ...]
    rule: str | None = None
    destructive_blocked: bool = False
    reasons: tuple[str, ...] = ()
    costs: Mapping[Operation, float] = field(default_factory=dict)
    ruled_out: Mapping[Operation, str] = field(default_factory=dict)

    @property
    def confidence(self) -> float:
        return self.probabilities[self.operation]


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be done with a fact, over all its neighbours.

    ``operation`` and ``target`` (position in the list of existing texts, None for ADD) tell the leading
    operation, ``operations`` every (operation, position) where several memories are touched;
    ``predicted`` is the classifier's most probable label for the nearest text.
    """

    operation: Operation
    target: int | None
    operations: tuple[tuple[Operation, int], ...]
    predicted: Operation
    resolved_fact: Fact
    confidence: float
    probabilities: Mapping[str, float]
    reasons: tuple[str, ...]
    verdicts: tuple[Verdict, ...] = ()
    review: bool = False
