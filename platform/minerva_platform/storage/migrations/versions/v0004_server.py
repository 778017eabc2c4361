"""What a server keeps: tokens, events of runs, uploads, files, and what clients say about runs."""

import sqlalchemy as sa
from alembic import op

from minerva_platform.storage.engine.compression import PackedText

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the tables and columns."""
    op.add_column(
        "threads", sa.Column("created", sa.Double, nullable=False, server_default=sa.text("0"))
    )
    op.add_column("threads", sa.Column("metadata", sa.Text))
    op.add_column("runs", sa.Column("requester", sa.Text))
    op.add_column("runs", sa.Column("metadata", sa.Text))
    told = sa.Column("told", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("runs", told)
    op.create_table(
        "events",
        sa.Column("run_id", sa.Text, sa.ForeignKey("runs.run_id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("event", PackedText, nullable=False),
    )
    op.create_table(
        "tokens",
        sa.Column("token_sha256", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("roots", sa.Text),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double),
        sa.Column("revoked", sa.Double),
    )
    op.create_table(
        "contents",
        sa.Column("sha256", sa.Text, primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("given", sa.Double, nullable=False),
    )
    op.create_table(
        "uploads",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("sha256", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("given", sa.Double, nullable=False),
    )
    op.execute("UPDATE runs SET told = true WHERE background AND ended IS NOT NULL")
