-- Formulas of cells are no text of their document: they stand beside what the cells show, and are not indexed.
-- docs/decisions/0188-formulas-beside-values.md
alter table chunks add column formulas jsonb;  -- Of its cells: range, formula, and calculated where it is false.
