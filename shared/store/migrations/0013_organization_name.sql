-- An organization's owners and admins call it what they like; its short name stays, as addresses and commands take it.
grant update (name) on organizations to autri_app;
