create table tb_mber (
    mber_no  bigint primary key,
    mber_nm  varchar(40) not null,
    hp       varchar(100),
    zip      char(5),
    point    integer default 0,
    reg_dt   date
);
comment on table tb_mber is '회원';
comment on column tb_mber.mber_no is '회원번호';
comment on column tb_mber.mber_nm is '회원명';
comment on column tb_mber.hp is '휴대전화번호(AES-256-GCM 암호화)';
comment on column tb_mber.zip is '우편번호';
comment on column tb_mber.point is '적립금';
comment on column tb_mber.reg_dt is '가입일자';
