"""The formula that a cell of a spreadsheet has beside what it shows."""

from pydantic import BaseModel, ConfigDict, Field


class CellFormula(BaseModel):
    """The `formula` of a cell, of this `range` in its sheet, as its program shows it: `=SUM(B2:B9)`, in braces where it
    is an array's. It is empty where the cell has one that cannot be read. `calculated` is left out where it is true:
    where it is false nobody has calculated the formula yet, and the cell has no text.

    Formulas are no text of their document: they are not indexed, and no answer quotes them.
    """

    model_config = ConfigDict(frozen=True)

    range: str
    formula: str
    calculated: bool = Field(default=True, exclude_if=bool)
