-- What the pages of lexical candidates have of the query.

-- name: page_scores
with pages as (
  select distinct document_id, first_page from chunks where id = any (%(ids)s) and first_page is not null),
best as (
  select p.document_id, p.first_page, max(-(l.impacts <#> t.vector)) as impact
  from pages p
    join chunks m on m.document_id = p.document_id and m.first_page = p.first_page
    join chunk_lexical l on l.chunk_id = m.id
    cross join unnest(%(terms)s::sparsevec[]) t (vector)
  group by p.document_id, p.first_page, t.vector),
scores as (
  select document_id, first_page, sum(impact) as score from best group by document_id, first_page)
select c.id as chunk_id, s.score
from chunks c join scores s on s.document_id = c.document_id and s.first_page = c.first_page
where c.id = any (%(ids)s)
