"""The last calibration of each judge."""

import sqlalchemy as sa

from alembic import op


revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "calibrations",
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
