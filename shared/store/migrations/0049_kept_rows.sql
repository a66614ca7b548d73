-- Rows of a long table that are no passages are kept in blocks beside their document.
-- docs/decisions/0173-long-tables.md
alter table tables add column kept_rows integer;  -- How many rows follow those of its grid, in the block of its first page; null for none.
