-- Costs of model calls.

-- name: record
insert into costs (organization_id, knowledge_base_id, document_id, ingestion_id, stage, page, model, calls,
  input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, usd)
values (%(organization_id)s, %(knowledge_base_id)s, %(document_id)s, %(ingestion_id)s, %(stage)s, %(page)s, %(model)s,
  1, %(input_tokens)s, %(cache_read_tokens)s, %(cache_write_tokens)s, %(output_tokens)s, %(usd)s)
on conflict (ingestion_id, stage, page, model) do update set calls = costs.calls + 1,
  input_tokens = costs.input_tokens + excluded.input_tokens,
  cache_read_tokens = costs.cache_read_tokens + excluded.cache_read_tokens,
  cache_write_tokens = costs.cache_write_tokens + excluded.cache_write_tokens,
  output_tokens = costs.output_tokens + excluded.output_tokens,
  usd = costs.usd + excluded.usd

-- The document's cost is the sum over all its runs.

-- name: add_to_document
update documents set cost_usd = cost_usd + %(usd)s where id = %(document_id)s
