-- Columns that no condition, join or order asks for: nothing is learnt from sorting their values, and the four of them
-- that are the longest are a third of what analyzing tables that have grown takes.
-- docs/decisions/0169-slices-served-behind-the-next.md
alter table chunks alter boxes set statistics 0, alter attrs set statistics 0;
alter table sections alter path set statistics 0;
alter table chunk_attributes alter fragment_ids set statistics 0;
alter table chunk_vectors alter embedding set statistics 0;
alter table chunk_lexical alter impacts set statistics 0;
alter table ingestions alter stages set statistics 0;
