-- Tables of one run, in memory: they carry into SQL what Python has worked out. A run may weigh
-- several views or sides, one after the other.

-- One row per chosen session.
drop table if exists temp.session_group;
create temp table session_group (key integer primary key, group_id integer not null);

-- One row per prompt that may be the prompt of an operation.
drop table if exists temp.prompt_group;
create temp table prompt_group (key integer primary key, group_id integer not null);

-- One row per stretch of time in which the database's zone has one offset.
drop table if exists temp.zone_span;
create temp table zone_span (from_ms integer primary key, offset_ms integer not null);
