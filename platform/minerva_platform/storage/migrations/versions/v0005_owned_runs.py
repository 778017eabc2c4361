"""Runs that members in the background start: which thread owns them, and which run called them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the table and its index."""
    op.create_table(
        "owned_runs",
        sa.Column("run_id", sa.Text, sa.ForeignKey("runs.run_id"), primary_key=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("starter", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
    )
    op.create_index("owned_runs_of_thread", "owned_runs", ["owner"])
