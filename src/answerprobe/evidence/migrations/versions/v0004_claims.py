"""Claims of replicas, runs that wait for a delay, and duties."""

import sqlalchemy as sa

from alembic import op


revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns and make the tables."""
    op.add_column("monitors", sa.Column("claimed_by", sa.Text))
    op.add_column(
        "monitors",
        sa.Column("epoch", sa.BigInteger, nullable=False, server_default="0"),
    )
    op.add_column("monitors", sa.Column("changed_at", sa.Double))
    op.execute(
        "CREATE INDEX monitors_claimed ON monitors (claimed_by)"
        " WHERE claimed_by IS NOT NULL"
    )
    op.add_column("runs", sa.Column("not_before", sa.Double))
    op.add_column("runs", sa.Column("replica", sa.Text))
    op.create_table(
        "replicas",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("lease_until", sa.Double, nullable=False),
        sa.Column("held_tokens", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "duties",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("replica", sa.Text, nullable=False),
    )
