"""The tables of the ledger, as SQLAlchemy Core knows them on SQLite and Postgres alike.

JSON is kept as text. A row that cannot be read then costs that row alone, and Postgres' own JSON
would refuse characters that people type.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    and_,
    false,
    text,
)

from minerva_platform.storage.engine.compression import (
    ENCRYPTED_TYPES,
    NameText,
    PackedBytes,
    PackedText,
    SealedText,
)

SCHEMA: Final = "0008"
"""The number of the schema that this version reads and writes: Alembic's newest revision."""

LOCAL: Final = "local"
"""The tenant of whoever asks without a server: the person at this machine."""

metadata = MetaData()

versions = Table(
    "minerva_schema",
    metadata,
    Column("version_num", String(32), primary_key=True),
    Column("restored", Double),  # when it became a copy, in seconds since 1970; NULL: it is none
)
"""Alembic's table, under a name of ours: the database may hold another program's."""

storage_keys = Table(
    "storage_keys",
    metadata,
    Column("key_id", Text, primary_key=True),  # empty: plain text
    Column("number", Integer, nullable=False),
)
"""The keys by which values may be encrypted. The first one is that of new values, the others are
there while the store is turned. A store of plain text has none."""

threads = Table(
    "threads",
    metadata,
    Column("thread_id", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("root", Text, nullable=False),  # the platform, or the team that was asked alone
    Column("fence", BigInteger, nullable=False, server_default=text("0")),
    Column("holder", Text),
    Column("lease_until", Double, nullable=False, server_default=text("0")),
    Column("created", Double, nullable=False, server_default=text("0")),
    Column("metadata", SealedText),  # what a client of the server says about it, as JSON
)
"""A conversation, and who may write to it. Each new holder has the next fence."""

removed_threads = Table(
    "removed_threads", metadata, Column("fence", BigInteger, primary_key=True, autoincrement=False)
)
"""The highest fence of all threads that were removed. New threads begin with it: otherwise whoever
still holds a removed one could write to a later thread of the same name."""

runs = Table(
    "runs",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("thread_id", Text, ForeignKey("threads.thread_id"), nullable=False),
    Column("tenant", Text, nullable=False),
    Column("root", Text, nullable=False),
    Column("task", PackedText, nullable=False),
    Column("status", Text, nullable=False),
    Column("reason", Text),
    Column("run", PackedText),
    Column("used", Text),
    Column("limits", Text),  # of the run; a resumed one goes on with what is left of them
    Column("understood", PackedText),  # the task as it was understood; a resumed run reads it here
    Column("resumes", Integer, nullable=False, server_default=text("0")),
    Column("fence", BigInteger, nullable=False),
    Column("background", Boolean, nullable=False, server_default=false()),
    Column("created", Double, nullable=False),
    Column("ended", Double),
    Column("requester", Text),  # who asked, if the server knows: the token, or this machine
    Column("metadata", SealedText),  # what a client of the server says about it, as JSON
    Column("told", Boolean, nullable=False, server_default=false()),
    Column("roots", Text),  # what its asker may ask, as JSON: whose turns it reads; NULL: all
    Column("of_original", Boolean, nullable=False, server_default=false()),
    Column("lone_starts", Integer, nullable=False, server_default=text("0")),
    Column("traceparent", Text),  # the W3C header of the span that called it
    Column("versions", Text),  # what its teams were installed from when it began, as JSON
)
"""Every run, from when it is accepted; times are wall clock, in seconds since 1970. A
background run is told once a later turn of its thread has said that it ended. One `of_original` had
not ended when the database was copied: the original may have gone on with it. `lone_starts` counts
how often it was taken up alone since it last came to rest: its process has ended each time."""

is_at_work = and_(runs.c.status == "running", runs.c.background == false())
one_running = Index("one_running", runs.c.thread_id, unique=True, sqlite_where=is_at_work)
"""On Postgres it has the same condition, which the engine of Postgres adds: it takes 30 ms to load
what knows the option."""
Index("runs_of_thread", runs.c.thread_id)

Index("runs_in_queue", runs.c.background, runs.c.status)

owned_runs = Table(
    "owned_runs",
    metadata,
    Column("run_id", Text, ForeignKey("runs.run_id"), primary_key=True),
    Column("owner", Text, nullable=False),  # the thread of the conversation
    Column("starter", Text, nullable=False),  # the run that called the member
    Column("path", Text, nullable=False),  # of the call
)
"""The runs of members in the background. Each has a thread of its own, by its own id, because a
thread has one writer at a time; its owner is the thread of the conversation that started it."""

Index("owned_runs_of_thread", owned_runs.c.owner)

worker_processes = Table(
    "worker_processes",
    metadata,
    Column("name", Text, primary_key=True),
    Column("alive_until", Double, nullable=False),
)
"""The processes that take background runs, by the names that leases have them under."""
RETENTION: Final = "retention"
"""The name under which it says until when no process looks for runs that are too old."""

turns = Table(
    "turns",
    metadata,
    Column(
        "place", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True
    ),  # the order over all threads
    Column("thread_id", Text, ForeignKey("threads.thread_id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("run_id", Text, unique=True),
    Column("turn", PackedText),
    UniqueConstraint("thread_id", "number"),
)
"""What was asked and answered. The number is given when the run is accepted, the turn when it
has ended: the order is that of the questions, whatever a clock says."""


interrupts = Table(
    "interrupts",
    metadata,
    Column("run_id", Text, ForeignKey("runs.run_id"), primary_key=True),
    Column("interrupt_id", Text, primary_key=True),
    Column("path", Text, nullable=False),
    Column("shown", SealedText, nullable=False),
    Column("shown_sha256", Text, nullable=False),
    Column("allowed", Text, nullable=False),
    Column("schema", SealedText),
    Column("asked", Double, nullable=False),
    Column("expires_at", Double),
    Column("spent", Boolean, nullable=False, server_default=false()),
)
"""The questions that runs ask people; a spent one was answered, and asked anew under another id."""

Index("questions_that_expire", interrupts.c.expires_at)

decisions = Table(
    "decisions",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("interrupt_id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("value", SealedText, nullable=False),
    Column("by", Text, nullable=False),
    Column("batch", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("shown_sha256", Text),  # of what was decided about; NULL: decided before it was kept
    ForeignKeyConstraint(
        ["run_id", "interrupt_id"], ["interrupts.run_id", "interrupts.interrupt_id"]
    ),
)
"""What people decided; the key lets the first decision alone count."""

events = Table(
    "events",
    metadata,
    Column("run_id", Text, ForeignKey("runs.run_id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("event", PackedText, nullable=False),
)
"""What happened in a run, for who watches it: numbered from 1 without a gap."""

tokens = Table(
    "tokens",
    metadata,
    Column("token_sha256", Text, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("tenant", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("roots", Text),  # the platform and the teams that it may ask, as JSON; NULL: all
    Column("created", Double, nullable=False),
    Column("expires_at", Double),
    Column("revoked", Double),
)
"""Who may use the server. A token itself is kept nowhere."""

contents = Table(
    "contents",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("given", Double, nullable=False),
)
"""Files by their digests, if they are kept in the database. `given` is when a run or a person last
gave the content, in seconds since 1970."""

uploads = Table(
    "uploads",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("sha256", Text, primary_key=True),
    Column("name", NameText, primary_key=True),
    Column("bytes", BigInteger, nullable=False),
    Column("given", Double, nullable=False),
)
"""The files that a tenant has given to the server."""

team_uploads = Table(
    "team_uploads",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("sha256", Text, primary_key=True),
    Column("name", NameText, primary_key=True),
    Column("roots", Text, primary_key=True),  # of the token that gave it, as JSON
)
"""The uploads that tokens for some teams have given. Such a token finds no others."""

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("roots", Text, primary_key=True),  # of the token, as JSON; empty: all
    Column("key", Text, primary_key=True),
    Column("body_sha256", Text, nullable=False),
    Column("run_id", Text, nullable=False),
)
"""The keys with which clients sent requests, and the run of each: it is begun once."""

Index("idempotency_keys_of_run", idempotency_keys.c.run_id)


def _effects_table(name: str, *whose: "Column[str]") -> Table:
    return Table(
        name,
        metadata,
        Column("key", Text, primary_key=True),
        *whose,
        Column("path", Text, nullable=False),
        Column("name", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("state", Text, nullable=False),
        Column("args_sha256", Text, nullable=False),
        Column("target_sha256", Text),  # of the name and the arguments that say what it is done to
        Column("arguments", PackedText),  # without secrets, as JSON
        Column("target", Text),  # names of the arguments that say what it is done to, as JSON
        Column("fence", BigInteger, nullable=False),
        Column("outcome", SealedText),
        Column("at", Double, nullable=False),
        CheckConstraint("state IN ('begun', 'done', 'failed', 'unknown')", name="effect_state"),
    )


effects = _effects_table(
    "effects", Column("run_id", Text, ForeignKey("runs.run_id"), nullable=False)
)
"""What runs did to the world: the intent before, the outcome after. An effect of before version
0006 has no arguments, and `args_sha256` is the digest of its target."""

Index("effects_of_run", effects.c.run_id)

host_effects = _effects_table(
    "host_effects",
    Column("run_id", Text, nullable=False),
    Column("thread_id", Text, nullable=False),  # of the graph around, which keeps the run itself
)
"""What runs inside other programs' graphs did to the world."""

Index("host_effects_of_thread", host_effects.c.thread_id)

checkpoints = Table(
    "run_checkpoints",
    metadata,
    Column("thread_id", Text, primary_key=True),  # LangGraph's: the id of the run
    Column("checkpoint_ns", Text, primary_key=True),
    Column("checkpoint_id", Text, primary_key=True),
    Column("number", Integer, nullable=False),  # their order; ids follow the clock
    Column("parent_id", Text),
    Column("type", Text, nullable=False),
    Column("checkpoint", PackedBytes, nullable=False),
    Column("metadata", PackedBytes, nullable=False),
)
"""LangGraph's checkpoints, by its own names."""

writes = Table(
    "run_writes",
    metadata,
    Column("thread_id", Text, primary_key=True),
    Column("checkpoint_ns", Text, primary_key=True),
    Column("checkpoint_id", Text, primary_key=True),
    Column("task_id", Text, primary_key=True),
    Column("idx", Integer, primary_key=True),
    Column("task_path", Text, nullable=False, server_default=text("''")),
    Column("channel", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("value", PackedBytes, nullable=False),
)
"""What LangGraph's tasks have written before their step is complete."""


for _column in (column for table in metadata.tables.values() for column in table.c):
    if isinstance(_column.type, ENCRYPTED_TYPES):
        _column.type.place = str(_column)
