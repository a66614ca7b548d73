-- The rows that `verify` compares, beside the chunks that are served. Scope comes from row-level security.

-- name: pages
select page, status = 'failed' as failed, route, skipped from pages where document_id = %(id)s order by page

-- name: sections
select s.id, s.parent_id, s.address, s.title, s.depth, s.page, s.captioned, s.path,
  array(select a.address_key from section_addresses a where a.section_id = s.id and a.exact) as keys
from sections s
where s.document_id = %(id)s
order by s.ordinal, s.id

-- name: figures
select chunk_id, page, box, caption from figures where document_id = %(id)s

-- name: attributes
select chunk_id, raw, fragment_ids, role from chunk_attributes where document_id = %(id)s

-- name: tables
select id, first_page, kept_rows from tables where document_id = %(id)s

-- name: digest
select encode(sha256(convert_to(concat(
  (select concat_ws(' ', d.source_hash, d.source_key, d.source_version, d.opened_hash, d.opened_key) from documents d where d.id = %(id)s), '|',
  (select string_agg(t::text, ' ' order by t::text) from pages t where t.document_id = %(id)s), '|',
  (select string_agg(t::text, ' ' order by t::text) from sections t where t.document_id = %(id)s), '|',
  (select string_agg(t::text, ' ' order by t::text) from section_addresses t where t.document_id = %(id)s), '|',
  (select string_agg(t::text, ' ' order by t::text) from tables t where t.document_id = %(id)s), '|',
  (select string_agg(t::text, ' ' order by t::text) from chunks t where t.document_id = %(id)s), '|',
  (select string_agg(t::text, ' ' order by t::text) from figures t where t.document_id = %(id)s), '|',
  (select string_agg(t::text, ' ' order by t::text) from chunk_attributes t where t.document_id = %(id)s)
), 'UTF8')), 'hex') as digest
