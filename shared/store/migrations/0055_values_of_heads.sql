-- What the headers of a mail or the fields of a record say holds for every passage under them: such a value is stored with
-- each, so that a filter still looks up the values of a chunk alone.
-- docs/decisions/0194-what-the-head-says-holds-below.md
alter table chunk_attributes add column role text check (role in ('head', 'alias'));  -- Of the head; another name of the value before it; null: neither.

-- As in 0003, of what stands in the chunks themselves.
create or replace function summarise_attributes() returns trigger language plpgsql as $$
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
  where role is null
  group by 1, 2, 3, 4, 5, 6, 7
  on conflict (document_id, name, kind, unit, printed_unit) do update set
    count = s.count + excluded.count,
    low = least(s.low, excluded.low), high = greatest(s.high, excluded.high),
    first_time = least(s.first_time, excluded.first_time), last_time = greatest(s.last_time, excluded.last_time),
    example = least(s.example, excluded.example);
  return null;
end $$;
