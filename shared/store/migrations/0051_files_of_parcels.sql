-- Files in a ZIP file of a source are files of that source: gone when the ZIP file is, or when its next one lacks them.
-- docs/decisions/0183-files-gone-with-their-zip-file.md
alter table source_items add column parcel text;  -- The path of the ZIP file that it came in.
