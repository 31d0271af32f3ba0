"""How Alembic gets at the store: the caller hands in a connection."""

from alembic import context

from answerprobe.evidence._schema import metadata, version


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=version.name,
    # SQLite changes most of a table by copying it.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
