-- Bulk loads switch ordinary triggers off; which attributes there are is kept all the same.
alter table chunk_attributes enable always trigger summarise_attributes;

-- Chunks of a rare type are listed and not looked for among all.
drop index if exists chunks_by_type;
create index chunks_by_type on chunks (knowledge_base_id, chunk_type, document_id, id);
