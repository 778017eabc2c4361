create table patients (
  pat_no int primary key,
  rrn_enc varchar(64) not null, -- encrypted
  dept char(2)
);
comment on column patients.rrn_enc is '주민등록번호 암호화';
