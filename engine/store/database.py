"""Opening a database and its transactions: one connection a thread, nothing else about SQL."""

from __future__ import annotations

import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from engine.errors import StoreError
from engine.store.codec import write_time
from engine.store.migrations import MIGRATIONS
from engine.store.migrations.m001_initial import APPLICATION_ID
from engine.types import Clock, system_clock

BUSY_SECONDS = 5.0
_MAGIC = b"SQLite format 3\x00"


class _ThreadState(threading.local):
    """What a thread has open: its connection, how deep its transaction is, and the moment of that."""

    connection: sqlite3.Connection | None = None
    depth: int = 0
    reading: bool = False
    moment: datetime | None = None
    erased: bool = False


class Database:
    """A SQLite file (or ``:memory:``) with its migrations applied.

    Args:
        path: where the file lies or shall lie; its folder must exist.
        clock: gives the recorded time; called once a transaction.

    Raises:
        StoreError: the folder is missing, the file is no database, another program's, or a newer release's.
            The file is then left as it was.
    """

    def __init__(self, path: str | Path, clock: Clock = system_clock) -> None:
        self.path = str(path)
        self.clock = clock
        self._state = _ThreadState()
        # By thread, so that the connection of a thread that is gone goes with it.
        self._open: weakref.WeakKeyDictionary[threading.Thread, sqlite3.Connection] = weakref.WeakKeyDictionary()
        self._open_lock = threading.Lock()
        self._closed = False
        # A database in memory lives in one connection, which threads must take in turns.
        self._lock: AbstractContextManager[object] = threading.RLock() if self.path == ":memory:" else nullcontext()
        self._shared: sqlite3.Connection | None = None
        _check_file(self.path)
        connection = _connect(self.path)
        try:
            pending = _pending(connection, self.path)
            _use_wal(connection, self.path)
            if pending:
                self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        if self.path == ":memory:":
            self._shared = connection
        else:
            self._state.connection = connection
        self._open[threading.current_thread()] = connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Applies what is missing; another process may be doing the same, so each is looked at again
        inside its own transaction."""
        for name, migrate in MIGRATIONS:
            try:
                connection.execute("BEGIN IMMEDIATE")
                if name in _pending(connection, self.path):
                    migrate(connection)
                    connection.execute(
                        "INSERT INTO migrations (name, applied_at) VALUES (?, ?)", (name, write_time(self.clock()))
                    )
                connection.execute("COMMIT")
            except BaseException as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise StoreError(
                        "F605", f"cannot prepare {self.path}: {error}; check that file and folder may be written"
                    ) from error
                raise

    @property
    def connection(self) -> sqlite3.Connection:
        """This thread's connection."""
        if self._closed:
            raise StoreError("F607", f"the store {self.path} is closed; open it again")
        if self._shared is not None:
            return self._shared
        if self._state.connection is None:
            connection = _connect(self.path)
            with self._open_lock:
                self._open[threading.current_thread()] = connection
            self._state.connection = connection
        return self._state.connection

    @property
    def in_transaction(self) -> bool:
        """Whether this thread has a transaction open."""
        return self._state.depth > 0

    def now(self) -> datetime:
        """The recorded time: within a transaction always the same moment, so that no question about what
        was known can fall between its parts."""
        if not self.in_transaction:
            return self.clock().astimezone(UTC)
        if self._state.moment is None:
            self._state.moment = self.clock().astimezone(UTC)
        return self._state.moment

    def next_moment(self) -> None:
        """Lets the clock run on within a transaction, between things that were told one after another."""
        self._state.moment = None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A write transaction, taken at once so that two writers wait and do not deadlock (mem0#7196).

        Re-entrant: an inner one is a savepoint, so that its failure leaves nothing of it behind even where
        the outer one catches the exception.

        Raises:
            StoreError: another process kept the database locked, or SQLite refused a statement.
        """
        with self._lock:
            state, connection = self._state, self.connection
            level = state.depth
            begin, commit, undo = _commands(level)
            try:
                connection.execute(begin)
            except sqlite3.Error as error:
                raise _refused(self.path, error) from error
            state.depth += 1
            try:
                yield
                connection.execute(commit)
            except BaseException as error:
                if connection.in_transaction:  # SQLite may have rolled back by itself, e.g. on a full disk
                    for statement in undo:
                        connection.execute(statement)
                if isinstance(error, sqlite3.Error):
                    raise _refused(self.path, error) from error
                raise
            finally:
                state.depth = level
                if level == 0:
                    state.moment = None
                    erased, state.erased = state.erased, False
            if level == 0 and erased:
                self.checkpoint()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One snapshot for several reads."""
        with self._lock:
            state, connection = self._state, self.connection
            if state.depth or state.reading:
                yield connection
                return
            state.reading = True
            try:
                connection.execute("BEGIN")
                yield connection
            except sqlite3.Error as error:
                raise _refused(self.path, error) from error
            finally:
                state.reading = False
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def checkpoint(self) -> None:
        """Moves the write-ahead log into the file and empties it, so that nothing erased lingers there."""
        with self._lock:
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Closes the connections of all threads. Closing twice is fine."""
        with self._lock, self._open_lock:
            self._closed = True
            for connection in list(self._open.values()):
                connection.close()
            self._state.connection = self._shared = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _commands(level: int) -> tuple[str, str, tuple[str, ...]]:
    """How a transaction of that depth begins, ends well and ends badly."""
    if level == 0:
        return "BEGIN IMMEDIATE", "COMMIT", ("ROLLBACK",)
    name = f"level{level}"
    return f"SAVEPOINT {name}", f"RELEASE {name}", (f"ROLLBACK TO {name}", f"RELEASE {name}")


def _refused(path: str, error: sqlite3.Error) -> StoreError:
    if "locked" in str(error) or "busy" in str(error):
        return StoreError(
            "F608", f"another process kept {path} locked for {BUSY_SECONDS:g} s; end it or try again ({error})"
        )
    return StoreError("F609", f"the database {path} refused: {error}; run `factfold verify` on it")


def _check_file(path: str) -> None:
    """Refuses what can be told without opening it as a database."""
    if path == ":memory:":
        return
    file = Path(path)
    if not file.parent.is_dir():
        raise StoreError("F601", f"there is no folder {file.parent} for {file.name}; create it or give another path")
    if file.is_dir():
        raise StoreError("F605", f"{path} is a folder; give the path of a file in it")
    try:
        if file.exists():
            with file.open("rb") as stream:
                head = stream.read(len(_MAGIC))
            if head and head != _MAGIC:
                raise StoreError("F602", f"{path} is no SQLite database; give another path or move the file away")
    except OSError as error:
        raise StoreError("F605", f"cannot read {path}: {error}; check its permissions") from error


def _connect(path: str) -> sqlite3.Connection:
    """A connection in autocommit mode; nothing here writes to the file."""
    try:
        # isolation_level None: transactions are ours. check_same_thread: close() may come from elsewhere.
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON").fetchall()
    except sqlite3.Error as error:
        raise StoreError("F605", f"cannot open {path}: {error}; check the path and its permissions") from error
    connection.row_factory = sqlite3.Row
    return connection


def _pending(connection: sqlite3.Connection, path: str) -> tuple[str, ...]:
    """The names of the migrations that are to be applied.

    Raises:
        StoreError: the database is not ours or newer than this release.
    """
    known = tuple(name for name, _ in MIGRATIONS)
    try:
        mark = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        if mark == APPLICATION_ID and "migrations" in tables:
            applied = [row[0] for row in connection.execute("SELECT name FROM migrations ORDER BY name")]
        elif mark == 0 and not tables:
            return known
        else:
            raise StoreError("F603", f"{path} is another program's database; give another path for factfold's")
    except sqlite3.DatabaseError as error:
        raise StoreError("F602", f"cannot read {path} as a database: {error}; restore a backup of it") from error
    unknown = sorted(set(applied) - set(known))
    if unknown:
        raise StoreError(
            "F604", f"{path} was written by a newer release ({', '.join(unknown)}); upgrade factfold to open it"
        )
    return tuple(name for name in known if name not in applied)


def _use_wal(connection: sqlite3.Connection, path: str) -> None:
    """Switches to the write-ahead log. Where two processes open a new file at once SQLite reports a lock
    here without waiting, so we wait ourselves."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise StoreError(
                    "F605", f"cannot prepare {path}: {error}; check that file and folder may be written"
                ) from error
            time.sleep(0.01)
