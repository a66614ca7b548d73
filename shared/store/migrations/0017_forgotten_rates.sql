-- A bucket that is full again says nothing; maintenance deletes it.
grant delete on rate_buckets to autri_app;
