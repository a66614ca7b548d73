-- Bounded reads of large knowledge bases: keys per chunk, one per term and impact level, in an inverted index, and
-- statistics that are folded per knowledge base. docs/decisions/0018-bounded-lexical-reads.md
--
-- A slot is a term (28 of its 30 bits) and one of 16 impact levels, as an int4; a key is a slot xor the knowledge
-- base's own number. Numbers that fall together cost a row read for nothing: whatever is read is scored exactly.

alter table chunk_lexical add column keys integer[];
alter table chunk_lexical alter column keys set storage main;

-- A document's share of the statistics: in how many of its chunks each slot occurs. `words`: what can be completed
-- (`recharg*`), each with the number of its term. `folded`: the share is in the knowledge base's sums.
alter table lexical_documents add column language text not null default 'en';
alter table lexical_documents add column slots integer[] not null default '{}';
alter table lexical_documents add column counts integer[] not null default '{}';
alter table lexical_documents add column words text[] not null default '{}';
alter table lexical_documents add column word_terms integer[] not null default '{}';
alter table lexical_documents add column folded boolean not null default false;
-- What made the rows; documents of another tokenizer or pivot are indexed anew.
alter table lexical_documents add column tokenizer_version text not null default '';
alter table lexical_documents add column pivot double precision not null default 0;
create index lexical_documents_by_version on lexical_documents (knowledge_base_id, tokenizer_version, pivot);
create index lexical_documents_unfolded on lexical_documents (knowledge_base_id) where not folded;

-- Shares that were folded and whose documents are gone or were indexed anew; the next fold subtracts them.
create table lexical_removed (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  id bigint generated always as identity primary key,
  language text not null,
  chunks integer not null,
  length bigint not null,
  slots integer[] not null,
  counts integer[] not null,
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);
create index lexical_removed_by_base on lexical_removed (knowledge_base_id);

-- The folded sums. Only the holder of the knowledge base's fold lock writes them, so no publisher waits for another.
create table lexical_counts (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  slot integer not null,
  count integer not null,
  primary key (knowledge_base_id, slot),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
) with (fillfactor = 80);

create table lexical_totals (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  language text not null,
  chunks bigint not null,
  length bigint not null,
  primary key (knowledge_base_id, language),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);

create table lexical_words (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  word text collate "C" not null,
  term integer not null,
  primary key (knowledge_base_id, word, term),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);

-- What is already indexed gets its keys and sums here, so that it is found before it is indexed anew. The owner is
-- subject to policies as everybody is, except in this transaction.
do $$
declare
  name text;
begin
  foreach name in array array['knowledge_bases', 'documents', 'chunk_lexical', 'lexical_documents'] loop
    execute format('alter table %I no force row level security', name);
  end loop;
end $$;
update chunk_lexical l set keys = coalesce((
  select array_agg(((((split_part(e, ':', 1)::bigint - 1) & 268435455) * 16
      + least(15, floor(split_part(e, ':', 2)::float8 / 0.1375)::bigint) - 2147483648)::integer)
    # ('x' || substr(md5(l.knowledge_base_id::text), 1, 8))::bit(32)::integer)
  from unnest(string_to_array(substr(split_part(l.impacts::text, '}', 1), 2), ',')) e), '{}');
update lexical_documents d set slots = s.slots, counts = s.counts, folded = true
from (
  select document_id, array_agg(slot order by slot) as slots, array_agg(count order by slot) as counts
  from (
    select document_id, key # ('x' || substr(md5(knowledge_base_id::text), 1, 8))::bit(32)::integer as slot,
      count(*)::integer as count
    from chunk_lexical, unnest(keys) key group by 1, 2) counted
  group by 1) s
where s.document_id = d.document_id;
insert into lexical_counts (organization_id, knowledge_base_id, slot, count)
select d.organization_id, d.knowledge_base_id, s.slot, sum(s.count)
from lexical_documents d, unnest(d.slots, d.counts) s (slot, count) where d.folded group by 1, 2, 3;
insert into lexical_totals (organization_id, knowledge_base_id, language, chunks, length)
select organization_id, knowledge_base_id, language, sum(chunks), sum(length)
from lexical_documents where folded group by 1, 2, 3;
do $$
declare
  name text;
begin
  foreach name in array array['knowledge_bases', 'documents', 'chunk_lexical', 'lexical_documents'] loop
    execute format('alter table %I force row level security', name);
  end loop;
end $$;
alter table chunk_lexical alter column keys set not null;
drop table lexical_terms;

-- The pending list is read by every query; it stays short.
create index chunk_lexical_keys on chunk_lexical using gin (keys) with (fastupdate = on, gin_pending_list_limit = 1024);

do $$
declare
  name text;
  own constant text :=
    'organization_id = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid)'
    ' and knowledge_base_id = any ((select coalesce(nullif(current_setting(''app.kb_ids'', true), ''''), ''{}'')::uuid[])::uuid[])';
begin
  foreach name in array array['lexical_removed', 'lexical_counts', 'lexical_totals', 'lexical_words'] loop
    execute format('create policy scope on %I to autri_app using (%s) with check (%2$s)', name, own);
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('grant select, insert, update, delete on %I to autri_app', name);
  end loop;
end $$;

-- A folded share whose document goes (by cascade, too) is subtracted later. Nothing is left to subtract from when the
-- knowledge base itself goes.
create function lexical_share_removed() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.lexical_removed (organization_id, knowledge_base_id, language, chunks, length, slots, counts)
    select old.organization_id, old.knowledge_base_id, old.language, old.chunks, old.length, old.slots, old.counts
    from public.knowledge_bases b
    where b.organization_id = old.organization_id and b.id = old.knowledge_base_id;
  return null;
end $$;
revoke all on function lexical_share_removed() from public;
grant execute on function lexical_share_removed() to autri_app;
create trigger lexical_share_removed after delete on lexical_documents
  for each row when (old.folded) execute function lexical_share_removed();

-- The one reader that policies do not slow down: under them `&&` could not use its index, for it is not leakproof.
-- It takes its scope from the settings and from nothing else, returns ids and scores alone, and callers join those to
-- tables under policies again. Its owner cannot log in and may read these columns of this table.
do $$
begin
  if not exists (select from pg_roles where rolname = 'autri_lexical') then
    create role autri_lexical nologin;
  end if;
end $$;
create policy reader on chunk_lexical for select to autri_lexical using (true);
grant select (organization_id, knowledge_base_id, chunk_id, impacts, keys) on chunk_lexical to autri_lexical;

-- Chunks in scope with one of `p_keys` and all terms of each of `p_needed`, best first by inner product with `p_query`;
-- those that tie with the last one are added.
create function lexical_reading(
  p_keys integer[], p_query public.sparsevec, p_limit integer, p_needed public.sparsevec[] default null)
returns table (chunk_id uuid, score double precision)
language plpgsql stable security definer rows 300
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
as $$
declare
  own_organization constant uuid := nullif(current_setting('app.organization_id', true), '')::uuid;
  own_bases constant uuid[] := coalesce(nullif(current_setting('app.kb_ids', true), ''), '{}')::uuid[];
begin
  if own_organization is null or cardinality(own_bases) = 0 then
    return;
  end if;
  if cardinality(p_keys) > 20000 or p_limit > 20000 or cardinality(p_needed) > 16 then
    raise exception 'lexical_reading was asked for too much' using errcode = 'program_limit_exceeded';
  end if;
  return query
    select s.id, -s.distance
    from (
      select l.chunk_id as id, l.impacts operator(public.<#>) p_query as distance
      from public.chunk_lexical l
      where l.keys operator(pg_catalog.&&) p_keys
        and (l.organization_id = own_organization) is true
        and (l.knowledge_base_id = any (own_bases)) is true
        and (p_needed is null
          or not exists (select from unnest(p_needed) n where (l.impacts operator(public.<#>) n) >= 0))
      offset 0) s
    where s.distance < 0
    order by s.distance fetch first p_limit rows with ties;
end $$;

do $$
begin
  execute format('grant autri_lexical to %I with set true', current_user);
  grant create on schema public to autri_lexical;
  alter function lexical_reading(integer[], sparsevec, integer, sparsevec[]) owner to autri_lexical;
  revoke create on schema public from autri_lexical;
end $$;
revoke all on function lexical_reading(integer[], sparsevec, integer, sparsevec[]) from public;
grant execute on function lexical_reading(integer[], sparsevec, integer, sparsevec[]) to autri_app;
