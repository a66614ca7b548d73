"""How numbers are written where languages are spoken; beside the table that D3 has."""

from typing import Any, cast

import pytest
import vl_convert

from shared.values.locales import is_locale, preferred_locale, signs_of


@pytest.mark.parametrize(
    ("accepted", "locale"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de-AT"), ("en;q=0.5, fr;q=0.8", "fr"), ("tlh, pt-br;q=0.3", "pt-BR"),
        ("DE", "de"), ("", None), ("*", None), ("de;q=0", None), ("de;q=x, en;q=0.1", "en"), ("x" * 9_000, None),
    ],
)  # fmt: skip
def test_the_first_language_of_most_weight_that_is_known_is_taken(accepted: str, locale: str | None) -> None:
    assert preferred_locale(accepted) == locale


def test_signs_stand_where_english_has_its_own() -> None:
    assert [signs_of(one).write("-1,234.5") for one in ("de", "de-CH", "fr-FR", "en-IN", None, "tlh")] == [
        "-1.234,5", "-1'234,5", "-1\u00a0234,5", "-1,234.5", "-1,234.5", "-1,234.5",
    ]  # fmt: skip


# Of Polish, which has blanks between thousands (CLDR), D3 says otherwise.
TAGS = (
    "en-US", "de-DE", "fr-FR", "es-ES", "it-IT", "nl-NL", "pt-PT", "sv-SE", "da-DK", "fi-FI", "cs-CZ", "hu-HU", "ru-RU",
    "uk-UA", "ja-JP", "zh-CN", "ko-KR", "de-CH", "es-MX", "pt-BR", "en-GB", "fr-CA",
)  # fmt: skip


@pytest.mark.parametrize("tag", TAGS)
def test_signs_are_those_that_d3_has(tag: str) -> None:
    assert is_locale(tag)
    known, signs = vl_convert.get_format_locale(cast(Any, tag)), signs_of(tag)
    assert (signs.decimal, signs.group) == (known["decimal"], known["thousands"])
