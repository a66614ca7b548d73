-- Plots of datasets.

-- name: add_plot
insert into plots (organization_id, knowledge_base_id, id, dataset_id, name, spec, sha256, dataset_revision, dataset_sha256,
  data_sha256, author_id, author)
select d.organization_id, d.knowledge_base_id, %(new_id)s, d.id, %(name)s, %(spec)s, %(sha256)s, %(dataset_revision)s,
  %(dataset_sha256)s, %(data_sha256)s, %(author_id)s, coalesce((select u.name from users u where u.id = %(author_id)s), '')
from datasets d where d.id = %(dataset_id)s

-- Oldest first; of one knowledge base, of one dataset, or one alone.

-- name: list_plots
select p.id, p.knowledge_base_id, p.dataset_id, d.name as dataset, p.name, p.spec, p.sha256, p.dataset_revision,
  p.dataset_sha256, p.data_sha256, p.author, p.created_at, p.updated_at,
  p.dataset_revision <> d.revision as dataset_changed
from plots p
  join datasets d on d.organization_id = p.organization_id and d.knowledge_base_id = p.knowledge_base_id
    and d.id = p.dataset_id
where (%(knowledge_base_id)s::uuid is null or p.knowledge_base_id = %(knowledge_base_id)s)
  and (%(dataset_id)s::uuid is null or p.dataset_id = %(dataset_id)s)
  and (%(id)s::uuid is null or p.id = %(id)s) and (%(after)s::uuid is null or p.id > %(after)s)
order by p.id
limit %(limit)s

-- name: change_plot
update plots set name = %(name)s, spec = %(spec)s, sha256 = %(sha256)s, dataset_revision = %(dataset_revision)s,
  dataset_sha256 = %(dataset_sha256)s, data_sha256 = %(data_sha256)s, updated_at = now()
where id = %(id)s

-- name: remove_plot
delete from plots where id = %(id)s
