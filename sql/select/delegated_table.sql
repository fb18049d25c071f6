-- One row per call that started sub-agents, as delegated.sql gives them.
drop table if exists temp.delegated;
create temp table delegated (call_key integer primary key, covered_ms integer not null);
