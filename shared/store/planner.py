"""What the database's planner knows of tables that grow faster than autovacuum looks at them."""

import logging

import psycopg

from shared.errors import AutriError
from shared.store.connect import Database

logger = logging.getLogger("autri.planner")


def follow_growth(database: Database) -> int:
    """Analyzes tables that have grown fourfold since they were analyzed; returns how many. To be called after whatever
    stores many rows, outside its transaction; where nothing has grown so it costs a look at the sizes.

    What was stored stays stored: a failure is logged, and autovacuum analyzes later.
    """
    try:
        with database.alone() as connection:
            row = connection.execute("select analyze_grown() as tables").fetchone() or {}
    except (psycopg.Error, AutriError) as error:
        logger.warning("tables that have grown were not analyzed: %s", error)
        return 0
    return int(row["tables"])
