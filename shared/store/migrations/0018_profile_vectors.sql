-- Profiles as they are read: the words that name a document in a short list of their own, for a search reads those of all
-- documents that it found; how often the others occur as a sparse vector, in which one of thousands is found in no time.
-- A term's place in the vector is the 28 bits that its slot has of it.
alter table document_profiles add column names integer[] not null default '{}';
alter table document_profiles add column counts sparsevec;
alter table document_profiles no force row level security;
update document_profiles p set
  names = coalesce((select array_agg(s.slot) from unnest(p.slots, p.naming) s (slot, names) where s.names), '{}'),
  counts = (
    select ('{' || coalesce(string_agg((s.slot::bigint & 4294967295) / 16 + 1 || ':' || s.count, ','), '')
      || '}/268435456')::sparsevec
    from (
      select slot, count from unnest(p.slots, p.frequencies) s (slot, count) order by count desc limit 15000) s);
alter table document_profiles force row level security;
alter table document_profiles alter column names drop default, alter column counts set not null;
alter table document_profiles drop column slots, drop column frequencies, drop column naming;
