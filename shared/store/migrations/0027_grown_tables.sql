-- What the planner is told of tables that have just grown many times over. docs/decisions/0096-what-the-planner-knows.md

do $$
begin
  if not exists (select from pg_roles where rolname = 'autri_planning') then
    create role autri_planning nologin;
  end if;
end $$;

grant maintain on logical_documents, documents, pages, uploads, ingestions, ingestion_pages, stage_seconds, sections,
  tables, chunks, chunk_attributes, attribute_summaries, lexical_documents, chunk_lexical, chunk_vectors,
  document_profiles, records to autri_planning;

-- Analyzes what is four times as large as when it was analyzed last, or never was; answers how many tables that were.
-- Autovacuum does so within a minute or two: until then every lookup is planned for a table that is nearly empty, by whichever
-- index comes first, and a foreign key's check keeps its first plan. A table that somebody else is at is left to them.
create function analyze_grown() returns integer language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  grown regclass;
  done integer := 0;
begin
  for grown in
    select c.oid from pg_class c
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      and has_table_privilege(c.oid, 'maintain')
      and pg_relation_size(c.oid) / current_setting('block_size')::integer >= 4 * greatest(c.relpages, 4)
    order by c.relname
  loop
    execute format('analyze (skip_locked) %s', grown);
    done := done + 1;
  end loop;
  return done;
end $$;
call autri_meta.hand_over('analyze_grown()', 'autri_planning');
