"""Whose turns a run reads, which teams gave an upload, and which request was sent before."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column, the tables and the index."""
    op.add_column("runs", sa.Column("roots", sa.Text))
    op.create_table(
        "team_uploads",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("sha256", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("roots", sa.Text, primary_key=True),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("roots", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("body_sha256", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
    )
    op.create_index("idempotency_keys_of_run", "idempotency_keys", ["run_id"])
