-- A source without pages is divided into parts, which are its pages here.

-- What people call a part: a sheet, a slide, a message; null for a page.
alter table pages add column label text;
