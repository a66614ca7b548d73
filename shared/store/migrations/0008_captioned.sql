-- What a caption names (`Table 3`) has an address of its own and still belongs to the section that it stands in.
alter table sections add column captioned boolean not null default false;
