-- Evidence that cannot be swapped: which version of the protected copy is the document's source, what the opened copy of a
-- protected source hashes to, and since when the stored bytes are known to be others than those that were registered.
alter table documents add column source_version text;
alter table documents add column opened_hash text;
alter table documents add column source_changed_at timestamptz;

-- A ticket binds its file's hash; announcements from before this may have none, and their bytes are refused.
alter table uploads add constraint uploads_bind_a_hash check (sha256 is not null) not valid;
