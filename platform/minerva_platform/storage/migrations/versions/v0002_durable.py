"""Runs that can be resumed: questions, decisions, effects, and checkpoints in the same database.

Long texts are packed, so Postgres keeps them as bytes; SQLite's columns take both.
LangGraph's own tables, which SQLite homes had before, are dropped: no version has read them.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_PACKED = sa.Text().with_variant(sa.LargeBinary, "postgresql")


def upgrade() -> None:
    """Add what a run needs to go on after a pause or a crash."""
    op.add_column("runs", sa.Column("limits", sa.Text))
    op.add_column("runs", sa.Column("understood", _PACKED))
    op.add_column(
        "runs", sa.Column("resumes", sa.Integer, nullable=False, server_default=sa.text("0"))
    )
    op.create_table(
        "removed_threads",
        sa.Column("fence", sa.BigInteger, primary_key=True, autoincrement=False),
    )
    _make_questions()
    _make_effects()
    _make_checkpoints()
    if op.get_bind().dialect.name == "sqlite":
        for name in ("checkpoints", "writes", "checkpoint_migrations"):
            op.execute(f"DROP TABLE IF EXISTS {name}")
        return
    for table, column in (("runs", "task"), ("runs", "run"), ("turns", "turn")):
        using = f"convert_to({column}, 'UTF8')"
        op.alter_column(table, column, type_=_PACKED, postgresql_using=using)


def _make_questions() -> None:
    op.create_table(
        "interrupts",
        sa.Column("run_id", sa.Text, sa.ForeignKey("runs.run_id"), primary_key=True),
        sa.Column("interrupt_id", sa.Text, primary_key=True),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("shown", sa.Text, nullable=False),
        sa.Column("shown_sha256", sa.Text, nullable=False),
        sa.Column("allowed", sa.Text, nullable=False),
        sa.Column("schema", sa.Text),
        sa.Column("asked", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double),
        sa.Column("spent", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "decisions",
        sa.Column("run_id", sa.Text, primary_key=True),
        sa.Column("interrupt_id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("batch", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id", "interrupt_id"], ["interrupts.run_id", "interrupts.interrupt_id"]
        ),
    )


def _make_effects() -> None:
    op.create_table(
        "effects",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("run_id", sa.Text, sa.ForeignKey("runs.run_id"), nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("args_sha256", sa.Text, nullable=False),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("outcome", sa.Text),
        sa.Column("at", sa.Double, nullable=False),
        sa.CheckConstraint("state IN ('begun', 'done', 'failed', 'unknown')", name="effect_state"),
    )
    op.create_index("effects_of_run", "effects", ["run_id"])


def _make_checkpoints() -> None:
    names = ("thread_id", "checkpoint_ns", "checkpoint_id")
    op.create_table(
        "run_checkpoints",
        *(sa.Column(name, sa.Text, primary_key=True) for name in names),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("parent_id", sa.Text),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("checkpoint", sa.LargeBinary, nullable=False),
        sa.Column("metadata", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "run_writes",
        *(sa.Column(name, sa.Text, primary_key=True) for name in (*names, "task_id")),
        sa.Column("idx", sa.Integer, primary_key=True),
        sa.Column("task_path", sa.Text, nullable=False, server_default=sa.text("''")),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
    )
