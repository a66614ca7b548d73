-- What filters read: a key of texts that compares without case and spacing, which numbers are exact, and per document
-- which attributes there are. All of it is kept by the database itself, whoever writes the values.

-- How texts compare. An expression index would not serve under row-level security (`lower` is not leakproof), a plain
-- column does.
create function attribute_key(value text) returns text language sql immutable parallel safe
return left(lower(btrim(regexp_replace(normalize(value, nfkc), '\s+', ' ', 'g')) collate pg_c_utf8), 200);

alter table chunk_attributes
  add column text_key text generated always as (attribute_key(value_text)) stored,
  -- A range, or a bound: it stands for many numbers, and few values are like that.
  add column inexact boolean generated always as (
    value_number is not null and (value_upper is not null or comparator not in ('=', '~'))) stored;

drop index chunk_attributes_by_text;
drop index chunk_attributes_by_number;
drop index chunk_attributes_by_printed;
create index chunk_attributes_by_text on chunk_attributes (knowledge_base_id, name, text_key, chunk_id)
  where text_key is not null;
create index chunk_attributes_by_number on chunk_attributes (knowledge_base_id, name, unit, value_number, chunk_id)
  where not inexact and value_number is not null and unit is not null;
create index chunk_attributes_by_printed on chunk_attributes (knowledge_base_id, name, printed_number, chunk_id)
  where not inexact and printed_number is not null;
create index chunk_attributes_inexact on chunk_attributes (knowledge_base_id, name, chunk_id) where inexact;
create index chunk_attributes_boolean on chunk_attributes (knowledge_base_id, name, value_boolean, chunk_id)
  where value_boolean is not null;

-- Which attributes a document has, in which units, how many and from where to where. A row goes with its document; the
-- values of a document are replaced as a whole, and its rows here with them.
create table attribute_summaries (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  name text not null,
  kind text not null check (kind in ('number', 'text', 'time', 'boolean')),
  unit text not null,
  printed_unit text not null,
  count bigint not null,
  low double precision,
  high double precision,
  first_time timestamptz,
  last_time timestamptz,
  example text not null,
  primary key (document_id, name, kind, unit, printed_unit),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index attribute_summaries_by_name on attribute_summaries (knowledge_base_id, name, kind, unit, printed_unit);

create policy scope on attribute_summaries to autri_app
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
    and knowledge_base_id = any (
      (select coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[])::uuid[]))
  with check (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid)
    and knowledge_base_id = any (
      (select coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[])::uuid[]));
alter table attribute_summaries enable row level security;
grant select, insert, update, delete on attribute_summaries to autri_app;

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
    first_time = least(s.first_time, excluded.first_time), last_time = greatest(s.last_time, excluded.last_time);
  return null;
end $$;
create trigger summarise_attributes after insert on chunk_attributes
  referencing new table as added for each statement execute function summarise_attributes();

-- What was there before: as the owner, whom the policies bind while they are forced.
alter table chunk_attributes no force row level security;
insert into attribute_summaries (organization_id, knowledge_base_id, document_id, name, kind, unit, printed_unit,
  count, low, high, first_time, last_time, example)
select organization_id, knowledge_base_id, document_id, name,
  case when value_number is not null then 'number' when value_text is not null then 'text'
    when value_time is not null then 'time' else 'boolean' end,
  coalesce(unit, ''), coalesce(printed_unit, ''), count(*), min(value_number), max(coalesce(value_upper, value_number)),
  min(value_time), max(value_time), min(left(raw, 80))
from chunk_attributes
group by 1, 2, 3, 4, 5, 6, 7;
alter table chunk_attributes force row level security;
alter table attribute_summaries force row level security;
