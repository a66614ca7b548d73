-- How long traces are kept is the organization's to say; everything else about it stays the owner's.
grant update (trace_days) on organizations to autri_app;
