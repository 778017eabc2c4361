"""The ledger: threads, runs and turns. Before it there was a table of turns, in SQLite alone."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_LOCAL = "local"


def upgrade() -> None:
    """Make the tables, and put the turns of before into them, in their order."""
    is_new = not sa.inspect(op.get_bind()).has_table("turns")
    if not is_new:
        op.rename_table("turns", "turns_before")
    _make_threads_and_runs()
    _make_turns()
    if not is_new:
        _move_turns()
        op.drop_table("turns_before")


def _move_turns() -> None:
    query = "SELECT thread_id, number, turn FROM turns_before ORDER BY rowid"
    rows = op.get_bind().execute(sa.text(query)).all()
    roots = {thread_id: _field(turn, "root") or "" for thread_id, _, turn in rows}
    _add(
        "threads",
        [{"thread_id": name, "tenant": _LOCAL, "root": root} for name, root in roots.items()],
    )
    seen: set[str] = set()
    kept: list[dict[str, object]] = []
    for thread_id, number, turn in rows:
        run_id = _field(turn, "run_id")
        is_new = run_id is not None and run_id not in seen
        seen.add(run_id or "")
        row = {"thread_id": thread_id, "number": number, "turn": turn}
        kept.append({**row, "run_id": run_id if is_new else None})
    _add("turns", kept)


def _make_threads_and_runs() -> None:
    op.create_table(
        "threads",
        sa.Column("thread_id", sa.Text, primary_key=True),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("root", sa.Text, nullable=False),
        sa.Column("fence", sa.BigInteger, nullable=False, server_default=sa.text("0")),
        sa.Column("holder", sa.Text),
        sa.Column("lease_until", sa.Double, nullable=False, server_default=sa.text("0")),
    )
    op.create_table(
        "runs",
        sa.Column("run_id", sa.Text, primary_key=True),
        sa.Column("thread_id", sa.Text, sa.ForeignKey("threads.thread_id"), nullable=False),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("root", sa.Text, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("run", sa.Text),
        sa.Column("used", sa.Text),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("background", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("ended", sa.Double),
    )
    at_work = sa.text("status = 'running' AND background = false")
    op.create_index(
        "one_running",
        "runs",
        ["thread_id"],
        unique=True,
        sqlite_where=sa.text("status = 'running' AND background = 0"),
        postgresql_where=at_work,
    )
    op.create_index("runs_of_thread", "runs", ["thread_id"])


def _make_turns() -> None:
    op.create_table(
        "turns",
        sa.Column(
            "place",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            primary_key=True,
            autoincrement=True,
        ),
        sa.Column("thread_id", sa.Text, sa.ForeignKey("threads.thread_id"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("run_id", sa.Text, unique=True),
        sa.Column("turn", sa.Text),
        sa.UniqueConstraint("thread_id", "number"),
    )


def _add(table: str, rows: "list[dict[str, object]]") -> None:
    if rows:
        columns = ", ".join(rows[0])
        values = ", ".join(f":{name}" for name in rows[0])
        statement = f"INSERT INTO {table} ({columns}) VALUES ({values})"  # noqa: S608  # all ours
        op.get_bind().execute(sa.text(statement), rows)


def _field(turn: str, name: str) -> str | None:
    """Return a text of a turn; None if the turn is damaged, which costs nothing else."""
    try:
        found = json.loads(turn)[name]
    except (ValueError, KeyError, TypeError):
        return None
    return found if isinstance(found, str) else None
