"""With each decision, the digest of what the person saw."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column and an index. Decisions of before have no digest, so they are asked anew."""
    op.add_column("decisions", sa.Column("shown_sha256", sa.Text))
    op.create_index("questions_that_expire", "interrupts", ["expires_at"])
