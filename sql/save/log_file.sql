-- Insert a log file, or bring its identity and checkpoint up to date; returns its number.
insert into log_file (
    path, agent, device, inode, size, mtime_ns, ctime_ns,
    offset, head_length, head_hash, tail_hash, parser_version, damage, is_tail_seen
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (path) do update set
    agent = excluded.agent,
    device = excluded.device,
    inode = excluded.inode,
    size = excluded.size,
    mtime_ns = excluded.mtime_ns,
    ctime_ns = excluded.ctime_ns,
    offset = excluded.offset,
    head_length = excluded.head_length,
    head_hash = excluded.head_hash,
    tail_hash = excluded.tail_hash,
    parser_version = excluded.parser_version,
    damage = excluded.damage,
    is_tail_seen = excluded.is_tail_seen,
    gone = 0
returning id
