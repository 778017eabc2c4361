"""A queue of background runs: which processes work it off, and an index that finds what waits."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the table of worker processes, and the index."""
    op.create_table(
        "worker_processes",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("alive_until", sa.Double, nullable=False),
    )
    op.create_index("runs_in_queue", "runs", ["background", "status"])
