"""The first tables."""

import sqlalchemy as sa

from alembic import op


revision = "0001"
down_revision = None

_ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables."""
    counters = op.create_table(
        "counters",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
    )
    op.bulk_insert(counters, [{"name": "run", "value": 0}])
    op.create_table(
        "monitors",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("first_seen", sa.Double, nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("definition", sa.Text, nullable=False),
        sa.Column("due_at", sa.Double),
        sa.Column("paused_manually", sa.Boolean, nullable=False),
        sa.Column("status", sa.Text),
        sa.Column("forgotten_at", sa.Double),
    )
    _create_runs()
    _create_samples()
    op.create_table(
        "ledger",
        sa.Column("month", sa.Text, primary_key=True),
        sa.Column("monitor", sa.Text, primary_key=True),
        sa.Column("role", sa.Text, primary_key=True),
        sa.Column("estimated", sa.Boolean, primary_key=True),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "deploys",
        sa.Column("id", _ROW_ID, primary_key=True),
        sa.Column("monitor", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
    )
    op.create_index("deploys_of_monitor", "deploys", ["monitor", "id"])


def _create_runs() -> None:
    """Make the table of runs."""
    op.create_table(
        "runs",
        sa.Column("id", _ROW_ID, primary_key=True, autoincrement=False),
        sa.Column("monitor", sa.Text, nullable=False),
        sa.Column("trigger", sa.Text, nullable=False),
        sa.Column("case_ids", sa.Text),
        sa.Column("samples", sa.Integer),
        sa.Column("version", sa.Text),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("queued_at", sa.Double, nullable=False),
        sa.Column("started_at", sa.Double),
        sa.Column("finished_at", sa.Double),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("passed", sa.Integer, nullable=False),
        sa.Column("failed", sa.Integer, nullable=False),
        sa.Column("errors", sa.Integer, nullable=False),
        sa.Column("not_judged", sa.Integer, nullable=False),
    )
    op.create_index("runs_of_monitor", "runs", ["monitor", "id"])
    unfinished = sa.text("state IN ('queued', 'running')")
    op.create_index(
        "runs_unfinished",
        "runs",
        ["id"],
        sqlite_where=unfinished,
        postgresql_where=unfinished,
    )


def _create_samples() -> None:
    """Make the table of samples."""
    op.create_table(
        "samples",
        sa.Column("id", _ROW_ID, primary_key=True),
        sa.Column(
            "run_id",
            sa.BigInteger,
            sa.ForeignKey("runs.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("monitor", sa.Text, nullable=False),
        sa.Column("case_id", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("counted", sa.Boolean, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("started_at", sa.Double, nullable=False),
        sa.Column("whole", sa.Boolean, nullable=False),
        sa.Column("facts", sa.Text, nullable=False),
        sa.Column("texts", sa.Text),
    )
    op.create_index("samples_of_run", "samples", ["run_id"])
    op.create_index(
        "samples_of_case",
        "samples",
        ["monitor", "case_id", "counted", "outcome", "id"],
    )
    with_texts = sa.text("texts IS NOT NULL")
    op.create_index(
        "samples_with_texts",
        "samples",
        ["outcome", "id"],
        sqlite_where=with_texts,
        postgresql_where=with_texts,
    )
