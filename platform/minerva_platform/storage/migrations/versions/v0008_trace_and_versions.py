"""Which span called a run, and with which versions of its teams it began."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add columns. Runs of earlier versions say neither."""
    op.add_column("runs", sa.Column("traceparent", sa.Text))
    op.add_column("runs", sa.Column("versions", sa.Text))
