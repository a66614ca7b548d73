-- Notebooks: their cells and versions. Scope comes from row-level security.

-- name: add_notebook
insert into notebooks (organization_id, knowledge_base_id, id, title, revision, author_id, author)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(title)s, 0, %(author_id)s, %(author)s)

-- name: list_notebooks
select n.id, n.knowledge_base_id, n.title, n.revision, n.author, n.created_at, n.updated_at,
  (select cardinality(v.contents) from notebook_versions v
   where v.notebook_id = n.id and v.revision = n.revision) as cells
from notebooks n
where n.knowledge_base_id = %(knowledge_base_id)s and (%(after)s::uuid is null or n.id > %(after)s::uuid)
order by n.id
limit %(limit)s

-- name: get_notebook
select n.id, n.knowledge_base_id, n.title, n.revision, n.author, n.created_at, n.updated_at
from notebooks n where n.id = %(id)s

-- Whoever changes it waits for the one before.

-- name: lock_notebook
select n.id, n.knowledge_base_id, n.title, n.revision, n.created_at, n.updated_at
from notebooks n where n.id = %(id)s for update

-- name: set_notebook
update notebooks set title = %(title)s, revision = %(revision)s, updated_at = now() where id = %(id)s

-- name: remove_notebook
delete from notebooks where id = %(id)s

-- name: add_content
insert into notebook_cells
  (organization_id, knowledge_base_id, id, notebook_id, cell_id, kind, body, document_ids, author_id, author)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(notebook_id)s, %(cell_id)s, %(kind)s,
  case when %(gone)s::uuid[] = '{}' then %(body)s::jsonb else %(body)s::jsonb || jsonb_build_object(
    'answer', without_documents(%(body)s::jsonb -> 'answer', %(gone)s::uuid[])) end,
  %(document_ids)s, %(author_id)s, %(author)s)

-- name: get_version
select v.revision, v.title, v.act, v.cell_id, v.restored, v.author, v.created_at
from notebook_versions v where v.notebook_id = %(notebook_id)s and v.revision = %(revision)s

-- What the cells of a version hold, in their order.

-- name: list_contents
select c.id, c.cell_id, c.kind, c.body, c.author, c.created_at
from notebook_versions v
  cross join lateral unnest(v.contents) with ordinality o (id, place)
  join notebook_cells c on c.organization_id = v.organization_id and c.id = o.id and c.notebook_id = v.notebook_id
where v.notebook_id = %(notebook_id)s and v.revision = %(revision)s
order by o.place

-- name: add_version
insert into notebook_versions (organization_id, knowledge_base_id, id, notebook_id, revision, title, contents, act,
  cell_id, restored, author_id, author)
values (%(organization_id)s, %(knowledge_base_id)s, %(id)s, %(notebook_id)s, %(revision)s, %(title)s, %(contents)s,
  %(act)s, %(cell_id)s, %(restored)s, %(author_id)s, %(author)s)

-- name: list_versions
select v.revision, v.title, v.act, v.cell_id, v.restored, v.author, v.created_at, cardinality(v.contents) as cells
from notebook_versions v
where v.notebook_id = %(notebook_id)s and (%(before_revision)s::integer is null or v.revision < %(before_revision)s::integer)
order by v.revision desc
limit %(limit)s
