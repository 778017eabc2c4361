"""Effects of other programs' graphs, restored copies, keys of the store, and runs tried alone."""

import sqlalchemy as sa
from alembic import op

from minerva_platform.storage.engine.compression import PackedText

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add tables and columns. A database of an earlier version is no copy, as far as it says."""
    op.create_table(
        "host_effects",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("thread_id", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("args_sha256", sa.Text, nullable=False),
        sa.Column("target_sha256", sa.Text),
        sa.Column("arguments", PackedText),
        sa.Column("target", sa.Text),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("outcome", sa.Text),
        sa.Column("at", sa.Double, nullable=False),
        sa.CheckConstraint("state IN ('begun', 'done', 'failed', 'unknown')", name="effect_state"),
    )
    op.create_index("host_effects_of_thread", "host_effects", ["thread_id"])
    op.add_column("minerva_schema", sa.Column("restored", sa.Double))
    of_original = sa.Column("of_original", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("runs", of_original)
    zero = sa.text("0")
    op.add_column("runs", sa.Column("lone_starts", sa.Integer, nullable=False, server_default=zero))
    op.create_table(
        "storage_keys",
        sa.Column("key_id", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
    )
