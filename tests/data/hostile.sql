-- Statements that must change, copy, attach and read nothing else; one a line, `{dir}` is a folder
-- that may be written. Every one must be refused or end within its limits (docs/security.md, S15-S23).
delete from session
insert into meta (key, value) values ('x', 'y')
insert or replace into meta (key, value) values ('zone', 'x')
update operation set text = 'x'
update meta set value = 'x' where key = 'zone' returning *
delete from operation returning text
replace into meta (key, value) values ('x', 'y')
with gone as (select key from session) delete from session where key in (select key from gone)
with x as (select 1) insert into meta select 'a', 'b' from x
with x as (select 1) update meta set value = 'x'
/* select */ delete from session
-- select ?delete from session
  ;delete from session
select 1; delete from session
select 1; select 2
select 1;;delete from session;
explain delete from session
explain query plan delete from session
create table stolen as select * from operation
create temp table stolen as select * from operation
create temporary view v as select 1
create view v as select 1
create index i on operation (text)
create trigger t after insert on meta begin delete from session; end
create temp trigger t after insert on meta begin delete from session; end
create virtual table v using fts5(text)
create virtual table temp.v using fts5vocab(main, search_text, row)
create virtual table v using dbstat
create virtual table temp.v using rtree(id, x, y)
drop table session
drop view sessions
drop index operation_prompt
drop trigger search_text_changed
alter table session rename to s
alter table session add column x
alter table session drop column agent
reindex
analyze
vacuum
vacuum into '{dir}/copy.db'
vacuum main into '{dir}/copy.db'
attach '{dir}/new.db' as x
attach database 'file:{dir}/new.db?mode=rwc' as x
attach '/etc/passwd' as x
attach ':memory:' as x
attach '' as x
detach main
begin
begin immediate
begin exclusive
commit
end
rollback
savepoint s
release s
pragma query_only = 0
pragma query_only = off
pragma journal_mode = delete
pragma journal_mode = off
pragma user_version = 7
pragma application_id = 7
pragma writable_schema = 1
pragma trusted_schema = 1
pragma temp_store_directory = '{dir}'
pragma data_store_directory = '{dir}'
pragma wal_checkpoint(truncate)
pragma incremental_vacuum
pragma optimize
pragma integrity_check
pragma database_list
pragma table_info(session)
pragma mmap_size = 1000000000
pragma hard_heap_limit = 0
pragma key = 'x'
pragma locking_mode = exclusive
pragma foreign_keys = 1
select * from pragma_database_list
select * from pragma_table_info('session')
select * from pragma_wal_checkpoint
select * from pragma_optimize
insert into search_text (search_text) values ('optimize')
insert into search_text (search_text) values ('delete-all')
insert into search_text (search_text) values ('rebuild')
insert into search_text (search_text, rank) values ('pgsz', 32)
delete from search_text
update search_text set text = 'x'
insert into search_text_data (id, block) values (1, x'00')
delete from sqlite_master
update sqlite_master set sql = 'x'
insert into sqlite_sequence values ('x', 1)
select load_extension('{dir}/evil.so')
select load_extension('/lib/x86_64-linux-gnu/libc.so.6', 'system')
select fts3_tokenizer('simple')
select fts3_tokenizer('simple', x'4141414141414141')
select fts5(1)
select LOAD_EXTENSION('{dir}/evil')
select "load_extension"('{dir}/evil')
select optimize(search_text) from search_text
select readfile('/etc/passwd')
select writefile('{dir}/x', 'x')
select edit('x', 'touch {dir}/x')
select sqlite_log(1, 'x')
select randomblob(1000000000)
select zeroblob(1000000000)
select length(zeroblob(2000000000))
select hex(randomblob(900000000))
select printf('%900000000d', 1)
select format('%900000000d', 1)
select printf('%.*c', 900000000, 'a')
select replace(hex(printf('%9000d', 1)), '2', printf('%9000d', 2))
select group_concat(printf('%9000d', 1)) from operation, operation as b, operation as c
select json_group_array(printf('%9000d', 1)) from operation, operation as b, operation as c
select count(*) from operation a, operation b, operation c, operation d, operation e
select * from operation a, operation b, operation c, operation d order by a.text || d.text
select distinct a.text || b.id || c.id || d.id from operation a, operation b, operation c, operation d
with recursive x(n) as (select 1 union all select n + 1 from x) select count(*) from x
with recursive x(n) as (select 1 union all select n + 1 from x) select n from x
with recursive x(n) as (select 1 union select n + 1 from x) select max(n) from x
with recursive x(t) as (select 'a' union all select t || t from x) select length(t) from x
with recursive x(n, t) as (select 1, printf('%9000d', 1) union all select n + 1, printf('%9000d', n) from x) select group_concat(t) from x
with recursive x(n, t) as (select 1, printf('%9000d', 1) union all select n + 1, printf('%9000d', n) from x order by 1 desc) select count(distinct t) from x
select value from json_each((select json_group_array(id) from operation)) a, operation b, operation c, operation d
select 'a' like (select group_concat('%') from operation a, operation b, operation c)
select (with recursive x(t) as (select 'a' union all select t || t from x where length(t) < 500000) select t from x order by length(t) desc limit 1) like '%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%b'
select (with recursive x(t) as (select 'a' union all select t || t from x where length(t) < 500000) select t from x order by length(t) desc limit 1) glob '*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b'
select sum(length(printf('%9000d', a.id))) from operation a, operation b, operation c
select total_changes(), changes() from operation a, operation b, operation c, operation d, operation e
select max(abs(a.id - b.id + c.id - d.id)) from operation a, operation b, operation c, operation d
select * from dbstat a, dbstat b, dbstat c, dbstat d, dbstat e
select * from sqlite_stmt
select * from fts5vocab
select * from no_such_table
select no_such_function(1)
select ?
select :unbound
selec 1
select 1 where search_text match 'x'
select * from search_text where search_text match '"'
select cast(x'ff00fe' as text), x'00ff', 9e999, -9e999, 1e999 - 1e999
select 1/0, 9223372036854775807 + 1, abs(-9223372036854775807 - 1)
select * from operation where text match 'x'
select char(27) || '[2J' || char(7)
values (1), (2)


