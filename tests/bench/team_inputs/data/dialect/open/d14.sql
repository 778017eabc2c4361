create table "order" (
  "id" int not null auto_increment primary key,
  "state" enum('new','NUMBER(10)','VARCHAR2') default 'new',
  "flag" tinyint(1) default 0
) engine = innodb comment = 'pg: serial, timestamptz, jsonb';
