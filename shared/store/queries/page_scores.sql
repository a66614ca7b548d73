-- The impacts of the query's terms on the pages of lexical candidates. Each step is materialized: the planner estimates
-- one row in scope, and would repeat the later steps for each row of the earlier ones.

-- name: page_scores
with pages as materialized (
  select distinct document_id, first_page from chunks where id = any (%(ids)s) and first_page is not null),
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
select c.id as chunk_id, s.score
from chunks c join scores s on s.document_id = c.document_id and s.first_page = c.first_page
where c.id = any (%(ids)s)
