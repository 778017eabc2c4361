"""What Alembic runs: the revisions, over the connection that it was given."""

from alembic import context

from minerva_platform.storage.ledger.schema import metadata, versions

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=versions.name,
)
context.run_migrations()
