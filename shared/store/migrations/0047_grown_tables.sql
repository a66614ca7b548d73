-- Tables that many rows are written into at once, and that 0027 did not know of. Without statistics a digest's lines are
-- looked up citation by citation, each time through all of the knowledge base's.
-- docs/decisions/0096-what-the-planner-knows.md
grant maintain on section_addresses, figures, notes, events, source_items, archive_members,
  digest_files, digest_versions, digest_statements, digest_citations, digest_units to autri_planning;
