create or replace transient table raw.evt (
  id number(38,0) autoincrement,
  doc variant comment 'jsonb in postgres; CLOB/VARCHAR2 in oracle',
  at timestamp_ntz(9)
) cluster by (at) comment = 'ENGINE=InnoDB';
