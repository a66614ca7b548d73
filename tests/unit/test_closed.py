"""What is declared by hand is answered with the names that there are."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from shared.domain.plots import PlotForm
from shared.domain.transforms import Steps


@pytest.mark.parametrize(
    ("shape", "given", "told"),
    [
        (PlotForm, {"mark": "bar", "error": "ci"}, "there is no `error` here; there are mark, x, y, colour, facet, "),
        (PlotForm, {"mark": "bar", "x": {"column": "Model"}}, "there is no `column` here; there are field, aggregate,"),
        (Steps, [{"op": "filter", "wher": "[x] > 1"}], "there is no `wher` here; there are op, where"),
        (Steps, [{"op": "sort", "by": [], "up": 1}], "there is no `by`, `up` here; there are op, column, descending"),
    ],
)  # fmt: skip
def test_a_name_that_does_not_exist_is_answered_with_those_that_do(shape: Any, given: Any, told: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(shape).validate_python(given)
    assert told in str(refused.value)


def test_what_is_declared_right_is_taken() -> None:
    form = PlotForm.model_validate({"mark": "bar", "x": {"field": "Model"}, "sort": "name"})
    assert PlotForm.model_validate(form.model_dump()) == form
