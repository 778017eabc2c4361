"""What an effect was done to, so that a later run of its thread knows it again and tells of it."""

import sqlalchemy as sa
from alembic import op

from minerva_platform.storage.packed import PackedText

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the columns; effects of earlier versions have none of these values."""
    op.add_column("effects", sa.Column("target_sha256", sa.Text))
    op.add_column("effects", sa.Column("arguments", PackedText))
    op.add_column("effects", sa.Column("target", sa.Text))
