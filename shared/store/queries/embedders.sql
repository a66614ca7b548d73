-- Which embedder serves a knowledge base, and the change to another one.

-- A knowledge base without an embedder gets that of its first document.

-- name: adopt
update knowledge_bases set embedder_version = %(default)s
where id = (select knowledge_base_id from documents where id = %(document_id)s) and embedder_version is null

-- name: of_document
select k.embedder_version as serving, k.embedder_target as target
from knowledge_bases k join documents d on d.knowledge_base_id = k.id where d.id = %(document_id)s

-- name: of_base
select k.embedder_version as serving, k.embedder_target as target from knowledge_bases k where k.id = %(base)s

-- name: begin_change
update knowledge_bases set embedder_target = nullif(%(target)s, embedder_version)
where id = %(base)s and embedder_version is not null

-- One chunk of each text that has no vector of this embedder yet.

-- name: missing_texts
select distinct on (c.index_hash) c.index_hash, c.index_text
from chunks c
where c.knowledge_base_id = %(base)s
  and not exists (select from chunk_vectors v
    where v.chunk_id = c.id and v.embedder_version = %(version)s and v.index_hash = c.index_hash)
order by c.index_hash
limit %(limit)s

-- name: store_by_hash
insert into chunk_vectors
  (organization_id, knowledge_base_id, document_id, chunk_id, embedder_version, index_hash, embedding)
select c.organization_id, c.knowledge_base_id, c.document_id, c.id, %(version)s, c.index_hash,
  %(embedding)s::vector::halfvec
from chunks c where c.knowledge_base_id = %(base)s and c.index_hash = %(index_hash)s
on conflict (chunk_id, embedder_version) do update set
  index_hash = excluded.index_hash, embedding = excluded.embedding

-- Switches only if every chunk has a vector of the target. Stages that store chunks concurrently either see the new
-- version, or have stored chunks without a vector of it: then the switch waits for the next run.

-- name: switch
update knowledge_bases k set embedder_version = k.embedder_target, embedder_target = null
where k.id = %(base)s and k.embedder_target = %(target)s
  and not exists (select from chunks c where c.knowledge_base_id = k.id and not exists (
    select from chunk_vectors v where v.chunk_id = c.id and v.embedder_version = k.embedder_target
      and v.index_hash = c.index_hash))

-- name: delete_others
delete from chunk_vectors where (chunk_id, embedder_version) in (
  select v.chunk_id, v.embedder_version from chunk_vectors v join knowledge_bases k on k.id = v.knowledge_base_id
  where v.knowledge_base_id = %(base)s and v.embedder_version <> k.embedder_version
    and v.embedder_version is distinct from k.embedder_target
  limit %(limit)s)
