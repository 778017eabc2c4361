"""How often a run was taken up alone in its process."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0007"


def upgrade() -> None:
    """Add a column: no run of an earlier version was taken up alone."""
    zero = sa.text("0")
    op.add_column("runs", sa.Column("lone_starts", sa.Integer, nullable=False, server_default=zero))
