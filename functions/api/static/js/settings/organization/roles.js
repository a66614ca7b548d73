// What a domain or a group may give: nobody becomes an owner by one.

export const GRANTED = [
  { value: "viewer", label: "viewer: read and ask" },
  { value: "editor", label: "editor: documents and edits" },
  { value: "admin", label: "admin: members, keys, access, audit log" },
];
