-- Messages of mail, by whose ids threads are found; files attached to them are uploads with the mail's as their parcel.

-- A message of a file of mail: a message file has one, a mailbox several.
create table messages (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  ordinal integer not null,  -- Within the file, from 1.
  part integer not null,  -- The part of the document in which it begins.
  message_id text,  -- As its header has it, in angle brackets.
  answers text[] not null default '{}',  -- The ids of messages before it in its thread.
  subject text not null,  -- Its Subject header; empty where it has none.
  sender text not null,  -- Its From header.
  sent_at timestamptz,  -- By its Date header; null where that is none.
  primary key (document_id, ordinal),
  foreign key (organization_id, knowledge_base_id, document_id)
    references documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index messages_by_id on messages (knowledge_base_id, message_id) where message_id is not null;
create index messages_by_answers on messages using gin (answers);
call autri_meta.protect('messages');
