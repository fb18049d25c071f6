-- One row per log that this pass reads again by a newer parser.
create temporary table reread_file (id integer primary key)
