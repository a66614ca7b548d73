from pathlib import Path

import pytest

from shared.adapters.aws.models import find_model
from shared.domain.geometry import Rect
from shared.domain.model_calls import GroupingContext
from shared.domain.page import Fragment, PageFile, PageImage
from shared.prompts.loader import load_prompt
from shared.prompts.page_prompt import page_text, prompt_version, prompts
from shared.prompts.tool_schema import tool_schema
from tests.aws.converse import count


def test_a_prompt_that_lacks_a_variable_or_has_another_one_cannot_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "greet.md").write_text("Hello $name, it is $day.")
    assert load_prompt("greet", frozenset({"name", "day"}), tmp_path).fill(name="Ada", day="Friday").startswith("Hello")
    with pytest.raises(ValueError, match=r"lacks \['hour'\]"):
        load_prompt("greet", frozenset({"name", "day", "hour"}), tmp_path)
    with pytest.raises(ValueError, match=r"does not know \['day'\]"):
        load_prompt("greet", frozenset({"name"}), tmp_path)


def test_filling_needs_exactly_the_variables_and_looks_at_no_value_twice(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("$first and $second")
    prompt = load_prompt("note", frozenset({"first", "second"}), tmp_path)
    assert prompt.fill(first="$second", second="$$x") == "$second and $$x\n"
    for values in ({"first": "1"}, {"first": "1", "second": "2", "third": "3"}):
        with pytest.raises(ValueError, match="variables"):
            prompt.fill(**values)


def test_the_version_of_a_prompt_follows_its_text(tmp_path: Path) -> None:
    versions: set[str] = set()
    for folder, text in (("a", "Group."), ("b", "Group!"), ("c", "Group.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "group.md").write_text(text)
        versions.add(load_prompt("group", frozenset(), tmp_path / folder).version)
    assert len(versions) == 2


def test_every_prompt_that_is_shipped_loads_and_is_part_of_the_version() -> None:
    assert [name.rpartition("-")[0] for name in prompt_version().split("+")] == [prompt.name for prompt in prompts()]


def test_instructions_and_tool_are_long_enough_to_be_cached_by_the_smallest_model() -> None:
    # Counted low (four characters a token), so that the true number is above.
    prefix = count(prompts()[0].text) + count(str(tool_schema()))
    assert prefix > 1.1 * find_model("anthropic.claude-haiku-4-5-20251001-v1:0").cache_from_tokens


def test_a_page_is_one_line_per_fragment_with_sizes_and_flags_only_where_they_tell() -> None:
    box = Rect(x=0.1, y=0.2, w=0.3, h=0.02)
    fragments = [
        Fragment(id="p3.f1", text="Head", box=box, font="S", size=14, bold=True),
        Fragment(id="p3.f2", text="body text of some length", box=box, font="S", size=10),
        Fragment(id="p3.f3", text="עברית", box=box, font="S", size=10, direction="rtl", invisible=True),
    ]
    images = [PageImage(id="p3.i1", box=box, kind="vector")]
    page = PageFile(
        page=3, width_pt=595, height_pt=842, route="text", fragments=fragments, images=images, extractor_version="t"
    )
    text = page_text(page, GroupingContext(document="d"))
    assert (
        'f1 10 20 40 "Head" 14 bold\nf2 10 20 40 "body text of some length"\nf3 10 20 40 "עברית" invisible rtl' in text
    )
    assert "i1 vector 10 20 40 22" in text
    assert "p3.f" not in text
