create schema "My Shop" create table inner_t (a int, b text) create view iv as select a from inner_t;
create table "My Shop"."Line; Items" (
  "id" bigserial primary key,
  "a ""quoted"" name" text default $$it's; (, $$,
  U&"d\0061ta" text,
  "x.y" numeric(10,2)[] not null default '{}',
  "primary" boolean,
  "check" int check ("check" in (1, 2, (3))),
  "foreign key" int references public.other (id) match full on update cascade,
  period interval day to second(3),
  ts timestamp (3) without time zone default (now() at time zone 'utc'),
  c text collate "C" constraint nn not null constraint ch check (c <> ','),
  bits bit varying(8) default B'1010', esc text default E'\'); create table bad (z int); --',
  gen text generated always as ("primary"::text || ', ' || coalesce("check", 0)) stored,
  like_ int,
  constraint "uq, x" unique nulls not distinct ("x.y", "check") include (bits),
  exclude using btree (period with =) where (("check" > 0))
);
comment on column "My Shop"."Line; Items"."a ""quoted"" name" is 'quoted; name';
comment on column "My Shop"."Line; Items"."x.y" is $c$dotted 'name', $1$c$;
comment on table "My Shop"."Line; Items" is 'lines'
  ' continued';
create table only_pk (primary_key int, unique_id int, checked bool, constraint_nm text, like_count int, exclude_yn char, foreign_id int, key int);
create temp table tt as select 1 as x;
create table e ();
create table typed of some_type (id with options default 0);
table only_pk;
