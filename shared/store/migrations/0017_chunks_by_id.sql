-- Chunks are found by id. The planner takes a scope for a few rows, since policies compare with settings that it does not
-- know; a key that began with the scope therefore looked cheaper to it than the one on id, and it walked through all of
-- a knowledge base's documents for thirty chunks.
--
-- The owner is subject to policies as everybody is, except in this transaction: the keys are proved on all rows.
do $$
declare
  foreign_key record;
  foreign_keys text[] := '{}';
  tables text[] := '{chunks}';
  name text;
begin
  for foreign_key in
    select conname, conrelid::regclass::text as on_table, pg_get_constraintdef(oid) as definition
    from pg_constraint where confrelid = 'chunks'::regclass and contype = 'f'
  loop
    tables := tables || foreign_key.on_table;
    foreign_keys := foreign_keys
      || format('alter table %s add constraint %I %s', foreign_key.on_table, foreign_key.conname, foreign_key.definition);
    execute format('alter table %s drop constraint %I', foreign_key.on_table, foreign_key.conname);
  end loop;
  foreach name in array tables loop
    execute format('alter table %s no force row level security', name);
  end loop;
  alter table chunks drop constraint chunks_pkey;
  alter table chunks add primary key (id, organization_id, knowledge_base_id, document_id);
  foreach name in array foreign_keys loop
    execute name;
  end loop;
  foreach name in array tables loop
    execute format('alter table %s force row level security', name);
  end loop;
end $$;
