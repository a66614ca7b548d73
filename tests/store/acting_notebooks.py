"""Upon which rows each stored statement acts: notebooks."""

from tests.store.acting_cases import OTHER, Case, Own

OF_NOTEBOOK = {"%notebook_id": ([Own("notebooks")], [OTHER])}

CASES = [
    Case(
        "notebooks.list_versions",
        OF_NOTEBOOK
        | {
            "notebook_versions.notebook_id": [Own("notebooks")],
            "%before_revision": ([None, 2], [1]),
            "notebook_versions.revision": [1],
        },
    ),
]
