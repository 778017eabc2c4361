/* 인사 시스템 스키마 (수기 작성)
   /* 안쪽 주석: PostgreSQL 은 겹친 주석을 허용한다 */
   CREATE TABLE in_comment (a int);
*/
create table 사원 (            -- 사원 테이블
    사번        char(7) primary key,   -- 사원번호; 예: 2024001
    성명        varchar(50) not null,  -- 성명 (한글, 영문)
    -- 퇴사일자 char(8),                -- 더 이상 쓰지 않음
    부서코드    char(4) references 부서(코드) deferrable,
    급여        numeric(12,0) check (급여 > 0 and 급여 < 1e9), /* 월급, 원 */
    "입사 일자" date default ('now'::text)::date
    , 비고 text
);
-- create table 옛사원 (사번 char(7));

do $do$
declare r record;
begin
  for r in select 1 loop
    execute $q$create table 동적 (x int, y int)$q$;
  end loop;
  create temp table t_do (z int);
end
$do$;

CREATE OR REPLACE FUNCTION f() RETURNS TABLE (a int, b text) AS 'select 1, ''create table s (a int);''' LANGUAGE sql;

create table 부서
(
  코드 char(4) not null
, 명칭 varchar(40) not null
, 상위코드 char(4)
, constraint pk_부서 primary key (코드)
, constraint ck check (코드 ~ '^[A-Z]{2}[0-9]{2}$' or 명칭 in ('본사', '지사, 해외'))
, unique (명칭, 상위코드)
);
comment on column 부서.명칭 is E'부서명\n(정식; 약칭 아님) \'본사\' 포함';
create view 재직 as select 사번, 성명 from 사원;
create function g() returns int language sql begin atomic select 1; select 2; end;
create table 끝(번호 int);
