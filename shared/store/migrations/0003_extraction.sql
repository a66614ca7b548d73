-- What was extracted: sections, tables, chunks with their boxes, figures, typed attributes, and what people corrected.

-- A heading and what stands below it.
create table sections (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  id uuid not null unique,
  section_hash text not null,  -- Of its path of addresses and titles.
  occurrence integer not null,  -- Which one of those with the same hash, from 0.
  parent_id uuid,
  ordinal integer not null,  -- In the order of reading.
  address text,  -- As printed.
  title text not null,  -- As printed.
  depth integer not null,  -- 1 for the outermost.
  path jsonb not null,  -- The chain of ancestors and the section itself, outermost first: [{id, address, title}].
  page integer,  -- Where its title stands.
  -- What a caption names (`Table 3`) has an address of its own and still belongs to the section that it stands in.
  captioned boolean not null default false,
  primary key (organization_id, knowledge_base_id, document_id, id),
  unique (document_id, section_hash, occurrence),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, document_id, parent_id)
    references sections (organization_id, knowledge_base_id, document_id, id)
    on delete cascade deferrable initially deferred
);
create index sections_by_parent on sections (parent_id);
call autri_meta.protect('sections');

-- Every normalised address a section answers to; equality on text is leakproof, so the index works under policies.
create table section_addresses (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  section_id uuid not null,
  address_key text not null,  -- Normalised.
  exact boolean not null,  -- The address as printed, which wins over an alias.
  primary key (section_id, address_key),
  foreign key (organization_id, knowledge_base_id, document_id, section_id)
    references sections (organization_id, knowledge_base_id, document_id, id) on delete cascade
);
create index section_addresses_by_key on section_addresses (knowledge_base_id, address_key);
call autri_meta.protect('section_addresses');

-- A table as one grid, over all of its pages.
create table tables (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  id uuid not null unique,
  content_hash text not null,  -- Of its cells.
  occurrence integer not null,  -- Which one of those with the same hash, from 0.
  header_rows integer not null,  -- How many of its first rows are headers.
  caption text not null default '',  -- As printed.
  first_page integer not null,  -- From 1.
  last_page integer not null,  -- Of a table that goes on.
  grid jsonb not null,  -- Rows of cells, each with its text, its span and the fragments that it is made of.
  primary key (organization_id, knowledge_base_id, document_id, id),
  unique (document_id, content_hash, occurrence),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
call autri_meta.protect('tables');

-- What is retrieved and cited: verbatim text with its boxes on the page.
create table chunks (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  id uuid not null unique,
  content_hash text not null,  -- Of type and content.
  occurrence integer not null,  -- Which one of those with the same hash, from 0.
  ordinal integer not null,  -- In the order of reading.
  section_id uuid,
  table_id uuid,
  -- Which row of its table's grid a chunk is (from 0, header rows counted); null for every other chunk.
  table_row integer,
  chunk_type text not null,  -- A paragraph, a heading, a table's row …
  content text not null,  -- Verbatim.
  index_text text not null,  -- What is indexed: the content with the titles above it.
  index_hash text not null,  -- Of the index text: equal texts are embedded once.
  keywords text[] not null default '{}',  -- What a model would have people find it by; never shown as content.
  boxes jsonb not null,  -- Page, rectangle (fractions of the page) and fragments of each.
  first_page integer,  -- From 1.
  last_page integer,  -- Of a chunk that goes on.
  attrs jsonb not null default '{}',  -- The readable copy of `chunk_attributes`.
  date timestamptz,  -- What it is dated: the latest value of the knowledge base's date attribute.
  confidence double precision not null,  -- 0 to 1.
  flags text[] not null default '{}',  -- What to look at.
  ocr boolean not null default false,  -- Recognised from a picture.
  extractor_version text not null,  -- What made it.
  -- By id first: the planner takes a scope for a few rows, since policies compare with settings that it does not know; a
  -- key that began with the scope looked cheaper to it, and it walked through all documents for thirty chunks.
  primary key (id, organization_id, knowledge_base_id, document_id),
  unique (document_id, content_hash, occurrence),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, document_id, section_id)
    references sections (organization_id, knowledge_base_id, document_id, id)
    deferrable initially deferred,
  foreign key (organization_id, knowledge_base_id, document_id, table_id)
    references tables (organization_id, knowledge_base_id, document_id, id)
    deferrable initially deferred
);
create index chunks_in_order on chunks (document_id, ordinal);
create index chunks_by_page on chunks (document_id, first_page, last_page);
create index chunks_by_section on chunks (section_id);
create index chunks_by_index_hash on chunks (knowledge_base_id, index_hash);
-- Chunks of a rare type are listed and not looked for among all.
create index chunks_by_type on chunks (knowledge_base_id, chunk_type, document_id, id);
call autri_meta.protect('chunks');

-- What a chunk that is a picture shows.
create table figures (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  chunk_id uuid not null,
  page integer not null,  -- From 1.
  box jsonb not null,  -- Fractions of the page.
  caption text not null,  -- As printed.
  figure_type text not null,  -- A photograph, a diagram …
  primary key (chunk_id),
  foreign key (organization_id, knowledge_base_id, document_id, chunk_id)
    references chunks (organization_id, knowledge_base_id, document_id, id) on delete cascade
);
call autri_meta.protect('figures');

-- How texts compare: without case and spacing. An expression index would not serve under row-level security (`lower` is
-- not leakproof), a plain column does.
create function attribute_key(value text) returns text language sql immutable parallel safe
return left(lower(btrim(regexp_replace(normalize(value, nfkc), '\s+', ' ', 'g')) collate pg_c_utf8), 200);

-- Typed values of chunks. Columns compare leakproof (float8, text, timestamptz), so that their indexes serve under
-- row-level security; the readable copy is `chunks.attrs`.
create table chunk_attributes (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  chunk_id uuid not null,
  name text not null,  -- Normalised.
  ordinal integer not null,  -- Of several values of one name.
  route text not null check (route in ('label', 'table', 'text', 'model')),  -- What it was found by.
  -- What stands before the number.
  comparator text not null default '=' check (comparator in ('=', '<', '<=', '>', '>=', '~')),
  value_number double precision,  -- In the canonical unit of its dimension, `unit`.
  value_upper double precision,  -- The upper end of a range.
  unit text,  -- Of money the ISO 4217 code, else a UCUM code; null is a bare number.
  printed_number double precision,  -- What the page says.
  printed_upper double precision,  -- The upper end, as printed.
  tolerance double precision,  -- What stands behind ±, as printed.
  printed_unit text,  -- As printed.
  value_text text,  -- A text's value.
  text_key text generated always as (attribute_key(value_text)) stored,  -- By which texts compare.
  value_time timestamptz,  -- A date's.
  value_boolean boolean,  -- A yes's or no's.
  -- A range, or a bound: it stands for many numbers, and few values are like that.
  inexact boolean generated always as (
    value_number is not null and (value_upper is not null or comparator not in ('=', '~'))) stored,
  raw text not null,  -- As printed.
  qualifier text,  -- The other axis of a table.
  fragment_ids text[] not null,  -- What it stands in.
  confidence double precision not null,  -- 0 to 1.
  extractor_version text not null,  -- What typed it.
  primary key (chunk_id, name, ordinal),
  check (num_nonnulls(value_number, value_text, value_time, value_boolean) = 1),
  foreign key (organization_id, knowledge_base_id, document_id, chunk_id)
    references chunks (organization_id, knowledge_base_id, document_id, id) on delete cascade
);
create index chunk_attributes_by_number on chunk_attributes (knowledge_base_id, name, unit, value_number, chunk_id)
  where not inexact and value_number is not null and unit is not null;
create index chunk_attributes_by_printed on chunk_attributes (knowledge_base_id, name, printed_number, chunk_id)
  where not inexact and printed_number is not null;
create index chunk_attributes_inexact on chunk_attributes (knowledge_base_id, name, chunk_id) where inexact;
create index chunk_attributes_by_text on chunk_attributes (knowledge_base_id, name, text_key, chunk_id)
  where text_key is not null;
create index chunk_attributes_by_time on chunk_attributes (knowledge_base_id, name, value_time, chunk_id)
  where value_time is not null;
create index chunk_attributes_boolean on chunk_attributes (knowledge_base_id, name, value_boolean, chunk_id)
  where value_boolean is not null;
create index chunk_attributes_by_document on chunk_attributes (document_id);
call autri_meta.protect('chunk_attributes');

-- What looks like an attribute and was not typed. A row per document and name: a knowledge base's are their sum, and a
-- document that is read again or deleted takes its own along.
create table attribute_candidates (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  name text not null,  -- As it is printed.
  count integer not null,  -- How often.
  example text not null,  -- One of them.
  primary key (document_id, name),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index attribute_candidates_by_name on attribute_candidates (knowledge_base_id, name);
call autri_meta.protect('attribute_candidates');

-- Which attributes a document has, in which units, how many and from where to where. A row goes with its document; the
-- values of a document are replaced as a whole, and its rows here with them.
create table attribute_summaries (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  name text not null,  -- Of the attribute.
  kind text not null check (kind in ('number', 'text', 'time', 'boolean')),  -- Of its values.
  unit text not null,  -- Canonical; '' without one.
  printed_unit text not null,  -- As printed; '' without one.
  count bigint not null,  -- How many values.
  low double precision,  -- The least, in `unit`.
  high double precision,  -- The greatest, in `unit`.
  first_time timestamptz,  -- The earliest.
  last_time timestamptz,  -- The latest.
  example text not null,  -- One as printed.
  primary key (document_id, name, kind, unit, printed_unit),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index attribute_summaries_by_name on attribute_summaries (knowledge_base_id, name, kind, unit, printed_unit);
call autri_meta.protect('attribute_summaries');

-- The summaries are kept by the database itself, whoever writes the values.
create function summarise_attributes() returns trigger language plpgsql as $$
begin
  insert into attribute_summaries as s (organization_id, knowledge_base_id, document_id, name, kind, unit, printed_unit,
    count, low, high, first_time, last_time, example)
  select organization_id, knowledge_base_id, document_id, name,
    case when value_number is not null then 'number' when value_text is not null then 'text'
      when value_time is not null then 'time' else 'boolean' end,
    coalesce(unit, ''), coalesce(printed_unit, ''), count(*),
    min(value_number), max(coalesce(value_upper, value_number)),
    min(value_time), max(value_time), min(left(raw, 80))
  from added
  group by 1, 2, 3, 4, 5, 6, 7
  on conflict (document_id, name, kind, unit, printed_unit) do update set
    count = s.count + excluded.count,
    low = least(s.low, excluded.low), high = greatest(s.high, excluded.high),
    first_time = least(s.first_time, excluded.first_time), last_time = greatest(s.last_time, excluded.last_time),
    example = least(s.example, excluded.example);
  return null;
end $$;
create trigger summarise_attributes after insert on chunk_attributes
  referencing new table as added for each statement execute function summarise_attributes();
-- Bulk loads switch ordinary triggers off.
alter table chunk_attributes enable always trigger summarise_attributes;

-- Corrections that people make to an extraction. Rows are never deleted but with their document: undoing one sets
-- `undone_at`.
create table edits (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  id uuid not null unique,
  page integer not null,  -- Where it was made.
  -- What was corrected.
  kind text not null
    check (kind in ('merge', 'split', 'retype', 'resection', 'furniture', 'restore', 'unflag')),
  payload jsonb not null,  -- Names fragments and what they are.
  before jsonb not null,  -- What was shown of the chunks, before and after.
  after jsonb not null,  -- The same, afterwards.
  -- Keys and ids of chunks, sections and tables that it took away (in the end also those that its undoing did), so that
  -- they come back with the same ids.
  former jsonb not null default '[]',
  author_id uuid,  -- Who made it.
  author text not null,  -- Their name, then.
  created_at timestamptz not null default now(),
  undone_at timestamptz,  -- When it was undone.
  undone_by text,  -- By whom.
  stale text,  -- Why it does not fit what the latest run found.
  primary key (organization_id, knowledge_base_id, document_id, id),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index edits_active on edits (document_id, id) where undone_at is null;
call autri_meta.protect('edits', rights => 'select, insert, update');
