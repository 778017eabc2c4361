"""Whether the database is a restored copy, and which runs its original may have gone on with."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the columns. A database of an earlier version is no copy, as far as it says."""
    op.add_column("minerva_schema", sa.Column("restored", sa.Double))
    of_original = sa.Column("of_original", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("runs", of_original)
