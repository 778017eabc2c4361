"""What effects are done to, what a decision is about, who reads a run, and what was sent before."""

import sqlalchemy as sa
from alembic import op

from minerva_platform.storage.engine.compression import PackedText

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add columns, tables and indexes. Rows of earlier versions have none of these values."""
    op.add_column("effects", sa.Column("target_sha256", sa.Text))
    op.add_column("effects", sa.Column("arguments", PackedText))
    op.add_column("effects", sa.Column("target", sa.Text))
    op.add_column("decisions", sa.Column("shown_sha256", sa.Text))
    op.create_index("questions_that_expire", "interrupts", ["expires_at"])
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
