-- Gold of attributes: what a value is at a place, written as a filter has it. docs/decisions/0077-gold-of-attributes.md

-- `power = 15 hp`, of which the question is a copy; null: it is a question to search for. A program that does not know it
-- asks it like any other.
alter table gold_questions add column attribute text;
