create table 상담 (cnsl_no int primary key, cnsl_dt date, memo varchar(1000));
comment on column 상담.memo is '상담 메모';
