"""What a topic of a digest is called without a model."""

from uuid import uuid4

import numpy as np
import pytest

from shared.digest.naming import own_name
from shared.digest.topics import Topic
from shared.digest.units import DigestUnit

DOCUMENT = uuid4()
# Of the first heading itself, and of two sections below it, the second of which is nearer to what all are about.
SECTIONS = {("Applications",): (1.0, 0.0), ("Applications", "Hurdles"): (0.0, 1.0),
            ("Applications", "Zeros"): (0.8, 0.6)}  # fmt: skip


def name_of(*taken: str) -> str:
    units = [
        DigestUnit(uuid4(), DOCUMENT, ("counts.pdf", *titles), "", centroid=np.array(at, np.float32))
        for titles, at in SECTIONS.items()
    ]
    # The document has a section more.
    return own_name(Topic(uuid4(), units), {DOCUMENT: 4}, 2, taken)


@pytest.mark.parametrize(
    ("taken", "name"),
    [
        ((), "Applications"),
        (("Applications",), "Zeros"),
        (("Applications", "Zeros"), "Hurdles"),
        (("Applications", "Zeros", "Hurdles"), "Applications"),
    ],
)
def test_a_topic_has_a_name_that_no_other_has_while_one_of_its_sections_has_one(
    taken: tuple[str, ...], name: str
) -> None:
    assert name_of(*taken) == name
