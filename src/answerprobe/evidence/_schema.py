"""The tables of the evidence store. Instants are seconds since the epoch."""

import sqlalchemy as sa


# The newest migration; the tables below are what all migrations together make.
HEAD = "0004"
RUN_COUNTER = "run"

metadata = sa.MetaData()
# SQLite numbers rows by itself only where the type is INTEGER by name.
_RowId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _index_some(table: sa.Table, name: str, columns: str, *, where: str) -> None:
    """Make the index *name* of those rows of *table* that *where* tells."""
    # As an option of sa.Index it would load PostgreSQL's dialect at every start: 0.1 s.
    ddl = f"CREATE INDEX {name} ON {table.name} ({columns}) WHERE {where}"
    # The library leaves this one without types.
    statement = sa.DDL(ddl)  # type: ignore[no-untyped-call]
    sa.event.listen(table, "after_create", statement)


version = sa.Table(
    "answerprobe_schema",
    metadata,
    sa.Column("version_num", sa.String(32), primary_key=True),
)

# Numbers that are never given twice, also after what had them was deleted.
counters = sa.Table(
    "counters",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.BigInteger, nullable=False),
)

monitors = sa.Table(
    "monitors",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("first_seen", sa.Double, nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("definition", sa.Text, nullable=False),
    sa.Column("due_at", sa.Double),
    sa.Column("paused_manually", sa.Boolean, nullable=False),
    sa.Column("status", sa.Text),
    sa.Column("forgotten_at", sa.Double),
    # Who runs it now, and how often that changed hands; with several replicas only.
    sa.Column("claimed_by", sa.Text),
    sa.Column("epoch", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("changed_at", sa.Double),
)
_index_some(monitors, "monitors_claimed", "claimed_by", where="claimed_by IS NOT NULL")

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", _RowId, primary_key=True, autoincrement=False),
    sa.Column("monitor", sa.Text, nullable=False),
    sa.Column("trigger", sa.Text, nullable=False),
    sa.Column("case_ids", sa.Text),
    sa.Column("samples", sa.Integer),
    sa.Column("version", sa.Text),
    sa.Column("reason", sa.Text),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("queued_at", sa.Double, nullable=False),
    sa.Column("not_before", sa.Double),
    sa.Column("replica", sa.Text),
    sa.Column("started_at", sa.Double),
    sa.Column("finished_at", sa.Double),
    sa.Column("total", sa.Integer, nullable=False),
    sa.Column("done", sa.Integer, nullable=False),
    sa.Column("passed", sa.Integer, nullable=False),
    sa.Column("failed", sa.Integer, nullable=False),
    sa.Column("errors", sa.Integer, nullable=False),
    sa.Column("not_judged", sa.Integer, nullable=False),
)
sa.Index("runs_of_monitor", runs.c.monitor, runs.c.id)
_index_some(runs, "runs_unfinished", "id", where="state IN ('queued', 'running')")

# *texts* is all that may quote a person or an agent; NULL once retention took it.
samples = sa.Table(
    "samples",
    metadata,
    sa.Column("id", _RowId, primary_key=True),
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
sa.Index("samples_of_run", samples.c.run_id)
sa.Index(
    "samples_of_case",
    samples.c.monitor,
    samples.c.case_id,
    samples.c.counted,
    samples.c.outcome,
    samples.c.id,
)
_index_some(samples, "samples_with_texts", "outcome, id", where="texts IS NOT NULL")

ledger = sa.Table(
    "ledger",
    metadata,
    sa.Column("month", sa.Text, primary_key=True),
    sa.Column("monitor", sa.Text, primary_key=True),
    sa.Column("role", sa.Text, primary_key=True),
    sa.Column("estimated", sa.Boolean, primary_key=True),
    sa.Column("input_tokens", sa.BigInteger, nullable=False),
    sa.Column("output_tokens", sa.BigInteger, nullable=False),
)

deploys = sa.Table(
    "deploys",
    metadata,
    sa.Column("id", _RowId, primary_key=True),
    sa.Column("monitor", sa.Text, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
)
sa.Index("deploys_of_monitor", deploys.c.monitor, deploys.c.id)

# Only the last calibration of each judge is kept.
calibrations = sa.Table(
    "calibrations",
    metadata,
    sa.Column("judge", sa.Text, primary_key=True),
    sa.Column("definition", sa.Text, nullable=False),
    sa.Column("models", sa.Text, nullable=False),
    sa.Column("prompt_version", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("passes_agreed", sa.Integer, nullable=False),
    sa.Column("passes_judged", sa.Integer, nullable=False),
    sa.Column("fails_agreed", sa.Integer, nullable=False),
    sa.Column("fails_judged", sa.Integer, nullable=False),
    sa.Column("wrong", sa.Text, nullable=False),
)

# *plan* is what is to be asked, *result* what came of it, once that is known. Of two
# processes that carry out one experiment the later raises *epoch*, and only its samples
# are taken.
experiments = sa.Table(
    "experiments",
    metadata,
    sa.Column("id", _RowId, primary_key=True),
    sa.Column("monitor", sa.Text, nullable=False),
    sa.Column("current_run", sa.BigInteger, nullable=False),
    sa.Column("changed_run", sa.BigInteger, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("started_at", sa.Double, nullable=False),
    sa.Column("finished_at", sa.Double),
    sa.Column("plan", sa.Text, nullable=False),
    sa.Column("result", sa.Text),
)
sa.Index("experiments_of_monitor", experiments.c.monitor, experiments.c.id)

# Who shares this store now. *address* is where a replica listens: one that is started
# there again takes the place of the one that was.
replicas = sa.Table(
    "replicas",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("lease_until", sa.Double, nullable=False),
    sa.Column("held_tokens", sa.BigInteger, nullable=False),
)

# What one replica does for all, such as to calibrate a judge.
duties = sa.Table(
    "duties",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("replica", sa.Text, nullable=False),
)
