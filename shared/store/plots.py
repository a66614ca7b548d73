"""Rows of plots."""

from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("plots")


def add_plot(connection: Connection, identity: Identity, dataset_id: UUID, values: dict[str, Any]) -> UUID | None:
    """Its id; None where the dataset is not there to be written beside. `values`: `name`, `spec`, `sha256`,
    `dataset_revision`, `dataset_sha256`, `data_sha256`."""
    own = {"new_id": new_id(), "dataset_id": dataset_id, "author_id": None if identity.is_machine else identity.user_id}
    made = connection.execute(_SQL["add_plot"], {**values, "spec": Jsonb(values["spec"]), **own})
    return own["new_id"] if made.rowcount else None


def list_plots(
    connection: Connection, knowledge_base_id: UUID | None, dataset_id: UUID | None, after: UUID | None, limit: int
) -> list[Row]:
    """Oldest first, of a knowledge base, of a dataset, or all in scope."""
    values = {"knowledge_base_id": knowledge_base_id, "dataset_id": dataset_id, "id": None, "after": after}
    return connection.execute(_SQL["list_plots"], values | {"limit": limit}).fetchall()


def get_plot(connection: Connection, plot_id: UUID) -> Row | None:
    values = {"knowledge_base_id": None, "dataset_id": None, "id": plot_id, "after": None, "limit": 1}
    return connection.execute(_SQL["list_plots"], values).fetchone()


def change_plot(connection: Connection, plot_id: UUID, values: dict[str, Any]) -> None:
    """`values` as in `add_plot`."""
    connection.execute(_SQL["change_plot"], {**values, "spec": Jsonb(values["spec"]), "id": plot_id})


def remove_plot(connection: Connection, plot_id: UUID) -> None:
    connection.execute(_SQL["remove_plot"], {"id": plot_id})
