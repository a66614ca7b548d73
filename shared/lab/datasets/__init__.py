"""Datasets: tables of documents with typed columns, transformed by declared steps; every cell leads to its boxes."""

from shared.lab.datasets.lineage import resolve_cells, sources_of
from shared.lab.datasets.running import run_dataset

__all__ = ["resolve_cells", "run_dataset", "sources_of"]
