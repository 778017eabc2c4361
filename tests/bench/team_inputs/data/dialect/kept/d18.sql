-- create table `t` (`id` int auto_increment) engine=innodb; -- 옛 MySQL 판
create table t (
  id number generated always as identity,
  nm varchar2(30 char) default 'NVARCHAR(MAX); GETDATE()',
  reg date default sysdate
)
/
comment on column t.nm is 'postgres: text[], jsonb, serial'
/
