"""The present instant by the database's own clock, in seconds since the epoch."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class now(FunctionElement[float]):  # noqa: N801  it stands in statements like sa.func
    """When the statement reads it, whenever its transaction began."""

    type = sa.Double()
    inherit_cache = True


@compiles(now)
def _sqlite(element: now, compiler: SQLCompiler, **options: Mapping[str, Any]) -> str:
    """Return SQLite's way to say it."""
    del element, compiler, options
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(now, "postgresql")
def _postgresql(
    element: now, compiler: SQLCompiler, **options: Mapping[str, Any]
) -> str:
    """Return PostgreSQL's way to say it."""
    del element, compiler, options
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)"
