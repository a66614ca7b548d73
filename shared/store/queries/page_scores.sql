-- The impacts of the query's terms on candidates and on their pages. Each step is materialized: the planner estimates one
-- row in scope, and would repeat the later steps for each row of the earlier ones.

-- name: page_scores, planned once
with given as materialized (
  select c.id, c.document_id, c.first_page, c.chunk_type, l.impacts
  from (select id, document_id, first_page, chunk_type from chunks where id = any (%(ids)s)) c
    cross join lateral (select impacts from chunk_lexical where chunk_id = c.id offset 0) l),
pages as materialized (
  select distinct document_id, first_page from given where first_page is not null),
members as materialized (
  select p.document_id, p.first_page, l.impacts
  from pages p
    join chunks m on m.document_id = p.document_id and m.first_page = p.first_page
    join chunk_lexical l on l.chunk_id = m.id),
scores as materialized (
  select document_id, first_page, sum(impact) as score
  from (
    select m.document_id, m.first_page, max(-(m.impacts <#> t.vector)) as impact
    from members m cross join unnest(%(terms)s::sparsevec[]) with ordinality t (vector, place)
    group by m.document_id, m.first_page, t.place) best
  group by document_id, first_page)
select g.id as chunk_id, g.chunk_type = 'table_row' as is_row, -(g.impacts <#> %(vector)s::sparsevec) as own, s.score as page,
  array(
    select t.place::integer from unnest(%(terms)s::sparsevec[]) with ordinality t (vector, place)
    where (g.impacts <#> t.vector) < 0) as places
from given g
  left join scores s on s.document_id = g.document_id and s.first_page = g.first_page
