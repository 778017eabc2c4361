create table 조합원 (no int primary key, nm varchar(40), rrn varchar(200), grade char(1), memo varchar(200));
comment on column 조합원.rrn is '주민등록번호 (AES-256 암호화)';
