-- A protected file's password is asked for once: what it opened is kept beside the source, which stays as it came.
alter table documents add column opened_key text;
