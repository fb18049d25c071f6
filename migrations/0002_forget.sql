-- Tombstones: what `agentpprof forget` removed must not come back when a log is read again.

-- One row per session of which everything up to a time was forgotten.
create table forgotten_session (
    session_key integer primary key,
    until_ms integer not null
) strict;

-- One row per forgotten operation: another session's log may hold a copy of its record.
create table forgotten_operation (
    key integer primary key
) strict;
