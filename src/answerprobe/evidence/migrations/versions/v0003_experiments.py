"""Experiments, and what the runs of one try."""

import sqlalchemy as sa

from alembic import op


revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table, and the column that tells its runs apart."""
    op.add_column("runs", sa.Column("reason", sa.Text))
    op.create_table(
        "experiments",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            primary_key=True,
        ),
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
    op.create_index("experiments_of_monitor", "experiments", ["monitor", "id"])
