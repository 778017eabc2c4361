create table customer_account (
    acct_seq   bigint primary key,
    cust_nm    varchar(60) not null,
    rrn        varchar(14) not null,
    acct_no    varchar(30) not null,
    branch     varchar(20),
    opened_on  date
);
comment on table customer_account is '고객 계좌 (보유기간: 거래 종료 후 1년)';
comment on column customer_account.cust_nm is '고객명';
comment on column customer_account.rrn is '주민등록번호';
comment on column customer_account.acct_no is '계좌번호';
comment on column customer_account.branch is '지점명';
comment on column customer_account.opened_on is '개설일자';
