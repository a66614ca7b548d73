-- A dataset may be made of other tables later, as of those of a newer version of its document. What it was before stays
-- readable: a revision names the tables that it has.
-- docs/decisions/0122-datasets-over-versions.md

alter table dataset_tables add column revision integer not null default 1;  -- The first revision that is made of it.
alter table dataset_revisions add column tables_of integer not null default 1;  -- The revision that its tables came with.
