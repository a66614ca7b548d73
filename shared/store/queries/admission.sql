-- Who is next: functions that see the runs of all organizations, called without a scope.

-- name: admit
select * from admit_run(%(total)s, %(share)s)

-- name: in_slots
select * from runs_in_slots(%(seconds)s)

-- name: organization_of
select organization_of(%(id)s) as id
