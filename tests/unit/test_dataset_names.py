"""What a dataset is called where nobody names it."""

import pytest

from shared.lab.datasets.found import shown_caption
from shared.lab.datasets.service import name_of


@pytest.mark.parametrize(
    ("caption", "name"),
    [
        (
            "Table 5: The joint goal accu- racy on the test set. For moves, see Fig. 2",
            "Table 5: The joint goal accuracy on the test set.",
        ),
        ("Runs of the Multi- WoZ data", "Runs of the Multi-WoZ data"),
        ("a" * 300, "a" * 200),
        ("", ""),
    ],
)
def test_a_dataset_is_called_after_the_first_sentence_of_its_caption(caption: str, name: str) -> None:
    assert name_of(caption) == name


def test_a_caption_is_listed_without_the_hyphens_at_the_ends_of_its_lines() -> None:
    assert shown_caption("The domain- slot accu- racy of pre- and post-tests, by domain and slot") == (
        "The domain-slot accuracy of pre- and post-tests, by domain and slot"
    )
