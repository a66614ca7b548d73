-- Which row of its table's grid a chunk is (from 0, header rows counted); null for every other chunk.
alter table chunks add column table_row integer;
