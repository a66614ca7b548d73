-- Knowledge bases with their counts. Scope comes from row-level security alone.

-- name: open_organization
select set_config(
  'app.kb_ids',
  (select coalesce(array_agg(id), '{}')::text
   from (select id from knowledge_bases order by id desc limit %(newest)s) k),
  true
)

-- name: opened
select current_setting('app.kb_ids')::uuid[] as ids

-- name: known, planned once
select id from knowledge_bases where id = any (%(ids)s)

-- name: named
select id, slug, name from knowledge_bases
where (%(only)s::uuid[] is null or id = any (%(only)s::uuid[]))
  and (cardinality(%(names)s::text[]) = 0 or id::text = any (%(names)s::text[])
    or lower(slug) = any (%(names)s::text[]) or lower(name) = any (%(names)s::text[]))
order by id
limit %(limit)s

-- name: list_knowledge_bases
select k.id, k.name, k.slug, k.description, k.date_attribute, k.restricted, k.approved_only, d.documents, d.chunks
from knowledge_bases k cross join lateral (
  select count(*) filter (where status <> 'refused' or chunk_count > 0) as documents,
    coalesce(sum(chunk_count), 0) as chunks
  from documents where knowledge_base_id = k.id
) d
where (%(after)s::uuid is null or k.id > %(after)s::uuid) and (%(only)s::uuid[] is null or k.id = any (%(only)s::uuid[]))
order by k.id
limit %(limit)s

-- name: get_knowledge_base
select k.id, k.name, k.slug, k.description, k.date_attribute, k.restricted, k.approved_only, d.documents, d.chunks
from knowledge_bases k cross join lateral (
  select count(*) filter (where status <> 'refused' or chunk_count > 0) as documents,
    coalesce(sum(chunk_count), 0) as chunks
  from documents where knowledge_base_id = k.id
) d
where k.id = %(id)s

-- name: add_knowledge_base
insert into knowledge_bases (organization_id, id, slug, name, description)
values (%(organization_id)s, %(id)s, %(slug)s, %(name)s, %(description)s)
on conflict (organization_id, slug) do nothing
returning id

-- name: change_knowledge_base
update knowledge_bases
set name = coalesce(%(name)s, name), description = coalesce(%(description)s, description)
where id = %(id)s

-- name: set_approved_only
update knowledge_bases set approved_only = %(wish)s where id = %(id)s

-- name: set_date_attribute
update knowledge_bases set date_attribute = %(name)s where id = %(id)s

-- name: remove_traces_of_knowledge_base
delete from retrieval_log where %(id)s = any (knowledge_base_ids)

-- name: remove_knowledge_base
delete from knowledge_bases where id = %(id)s
