"""Which keys the values of the store are encrypted by."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the table; it is empty as long as nothing is encrypted."""
    op.create_table(
        "storage_keys",
        sa.Column("key_id", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
    )
