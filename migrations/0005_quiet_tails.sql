-- A log may end in a record that never gets its newline: its writer is dead. Such a tail is looked
-- at once, when nobody has written for a while; then the log is not opened for it again.

alter table log_file add column is_tail_seen integer not null default 0;
