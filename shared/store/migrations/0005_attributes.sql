-- Typed values of chunks. Columns compare leakproof (float8, text, timestamptz), so that their indexes serve under
-- row-level security; the readable copy is `chunks.attrs`.
--
-- `value_number` (to `value_upper`, for a range) is in the canonical unit of its dimension, `unit`; `printed_*` is what
-- the page says. Money has its ISO 4217 code as unit, everything else a UCUM code; null is a bare number.
create table chunk_attributes (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  chunk_id uuid not null,
  name text not null,
  ordinal integer not null,
  route text not null check (route in ('label', 'table', 'text', 'model')),
  comparator text not null default '=' check (comparator in ('=', '<', '<=', '>', '>=', '~')),
  value_number double precision,
  value_upper double precision,
  unit text,
  printed_number double precision,
  printed_upper double precision,
  tolerance double precision,
  printed_unit text,
  value_text text,
  value_time timestamptz,
  value_boolean boolean,
  raw text not null,
  qualifier text,
  fragment_ids text[] not null,
  confidence double precision not null,
  extractor_version text not null,
  primary key (chunk_id, name, ordinal),
  check (num_nonnulls(value_number, value_text, value_time, value_boolean) = 1),
  foreign key (organization_id, knowledge_base_id, document_id, chunk_id)
    references chunks (organization_id, knowledge_base_id, document_id, id) on delete cascade
);
create index chunk_attributes_by_number on chunk_attributes (knowledge_base_id, name, value_number, chunk_id)
  where value_number is not null;
create index chunk_attributes_by_printed on chunk_attributes (knowledge_base_id, name, printed_number, chunk_id)
  where printed_number is not null;
create index chunk_attributes_by_text on chunk_attributes (knowledge_base_id, name, left(value_text, 200), chunk_id)
  where value_text is not null;
create index chunk_attributes_by_time on chunk_attributes (knowledge_base_id, name, value_time, chunk_id)
  where value_time is not null;
create index chunk_attributes_by_document on chunk_attributes (document_id);

-- What looks like an attribute and was not typed. A row per document and name: a knowledge base's are their sum, and a
-- document that is read again or deleted takes its own along.
create table attribute_candidates (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  name text not null,
  count integer not null,
  example text not null,
  primary key (document_id, name),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index attribute_candidates_by_name on attribute_candidates (knowledge_base_id, name);

do $$
declare
  name text;
  own constant text :=
    'organization_id = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid)'
    ' and knowledge_base_id = any ((select coalesce(nullif(current_setting(''app.kb_ids'', true), ''''), ''{}'')::uuid[])::uuid[])';
begin
  foreach name in array array['chunk_attributes', 'attribute_candidates'] loop
    execute format('create policy scope on %I to autri_app using (%s) with check (%2$s)', name, own);
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('grant select, insert, update, delete on %I to autri_app', name);
  end loop;
end $$;
