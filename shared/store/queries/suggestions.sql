-- Profiles of documents, and suggestions that a document is a version of another.

-- Serialises scoring in a knowledge base, so that of two new files the second sees the first.

-- name: lock_scoring
select pg_advisory_xact_lock(hashtextextended('autri version suggestions ' || %(knowledge_base_id)s, 0))

-- name: first_headings
select content from chunks
where document_id = %(id)s and chunk_type = 'heading' and first_page = 1
order by ordinal
limit %(limit)s

-- name: section_keys
select s.title, a.address_key
from sections s
  left join section_addresses a on a.section_id = s.id and a.exact
where s.document_id = %(id)s and not s.captioned

-- name: contents
select content from chunks where document_id = %(id)s and chunk_type <> 'table'

-- name: store_profile
insert into version_profiles
  (organization_id, knowledge_base_id, document_id, method, name, titles, addresses, sections, content)
select organization_id, knowledge_base_id, id, %(method)s, %(name)s, %(titles)s, %(addresses)s, %(sections)s, %(content)s
from documents where id = %(document_id)s
on conflict (document_id) do update set method = excluded.method, name = excluded.name, titles = excluded.titles,
  addresses = excluded.addresses, sections = excluded.sections, content = excluded.content

-- Documents without a profile of the present method.

-- name: without_profile
select d.* from documents d
where d.knowledge_base_id = %(knowledge_base_id)s and d.serving and d.source_type <> all(%(uncompared)s)
  and not exists (select from version_profiles p where p.document_id = d.id and p.method = %(method)s)
order by d.id
limit %(limit)s

-- name: other_profiles
select p.document_id, d.logical_document_id, p.name, p.titles, p.addresses, p.sections, p.content
from version_profiles p join documents d on d.id = p.document_id
where d.knowledge_base_id = %(knowledge_base_id)s and p.method = %(method)s
  and d.logical_document_id <> (select logical_document_id from documents where id = %(document_id)s)
order by p.document_id

-- A page of the web is a version of what came from its address before, and of nothing else.

-- name: is_alone
select count(*) = 1 and not exists (
    select from source_items i join sources s on s.id = i.source_id
    where i.document_id = %(id)s and s.kind in ('pages', 'sitemap', 'feed')) as alone
from documents
where logical_document_id = (select logical_document_id from documents where id = %(id)s)

-- name: mirrored
select s.document_id from version_suggestions s join documents d on d.id = %(document_id)s
where s.logical_document_id = d.logical_document_id

-- Decided suggestions are kept.

-- name: store_suggestion
insert into version_suggestions (organization_id, knowledge_base_id, id, document_id, logical_document_id, nearest_id,
  score, parts, method)
select organization_id, knowledge_base_id, %(id)s, id, %(logical_document_id)s, %(nearest_id)s, %(score)s, %(parts)s,
  %(method)s
from documents where id = %(document_id)s
on conflict (document_id, logical_document_id) do update set nearest_id = excluded.nearest_id, score = excluded.score,
  parts = excluded.parts, method = excluded.method
where version_suggestions.status = 'open'

-- name: drop_others
delete from version_suggestions
where document_id = %(document_id)s and status = 'open' and logical_document_id <> all (%(kept)s)

-- Open suggestions about a document that was linked meanwhile are left out.

-- name: list_suggestions
select s.*, d.name as document_name, d.version_label as document_label, d.version_index as document_index,
  l.name as logical_name, (select count(*) from documents m where m.logical_document_id = l.id) as versions,
  n.name as nearest_name, n.version_label as nearest_label, n.version_index as nearest_index
from version_suggestions s
  join documents d on d.id = s.document_id
  join logical_documents l on l.id = s.logical_document_id
  left join documents n on n.id = s.nearest_id
where (%(id)s::uuid is null or s.id = %(id)s::uuid)
  and (%(knowledge_base_id)s::uuid is null or s.knowledge_base_id = %(knowledge_base_id)s::uuid)
  and (%(status)s::text is null or s.status = %(status)s::text)
  and (s.status <> 'open' or (d.logical_document_id <> s.logical_document_id
    and not exists (select from documents m where m.logical_document_id = d.logical_document_id and m.id <> d.id)))
  and (%(after)s::uuid is null or s.id > %(after)s::uuid)
order by s.id
limit %(limit)s

-- name: decide
update version_suggestions set status = %(status)s, decided_at = now(), decided_by_id = %(user_id)s, decided_by = %(by)s
where id = %(id)s

-- A person's decision about a document and a logical document, so that the pair is not suggested again.

-- name: settle
insert into version_suggestions (organization_id, knowledge_base_id, id, document_id, logical_document_id, score, parts,
  method, status, decided_at, decided_by_id, decided_by)
select organization_id, knowledge_base_id, %(id)s, id, %(logical_document_id)s, 0, %(parts)s, %(method)s, %(status)s,
  now(), %(user_id)s, %(by)s
from documents where id = %(document_id)s
on conflict (document_id, logical_document_id) do update set status = excluded.status, decided_at = excluded.decided_at,
  decided_by_id = excluded.decided_by_id, decided_by = excluded.decided_by
