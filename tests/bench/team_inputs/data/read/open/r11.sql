create or replace database ANALYTICS;
use schema ANALYTICS.PUBLIC;
create or replace TRANSIENT TABLE ANALYTICS.PUBLIC.CUSTOMERS (
	CUSTOMER_ID NUMBER(38,0) NOT NULL autoincrement start 1 increment 1 COMMENT 'Customer id',
	EMAIL VARCHAR(16777216) WITH MASKING POLICY GOV.PII.MASK_EMAIL USING (EMAIL, CUSTOMER_ID) COMMENT 'e-mail, masked',
	"firstName" VARCHAR(50) COLLATE 'en-ci',
	RAW VARIANT COMMENT 'json; path:$.a.b',
	TAGS ARRAY,
	V VECTOR(FLOAT, 256),
	CREATED TIMESTAMP_NTZ(9) DEFAULT CURRENT_TIMESTAMP(),
	primary key (CUSTOMER_ID),
	constraint UQ unique ("firstName", EMAIL)
)cluster by (CREATED, EMAIL)
WITH ROW ACCESS POLICY GOV.PII.RAP ON (EMAIL)
COMMENT='Customers, one row each'
;
create or replace function parse(x varchar) returns table (a varchar, b number)
language javascript as $$
  // it's javascript; CREATE TABLE js_t (a int);
  return x;
$$;
create or replace procedure load() returns string language sql as
$$
begin
  create or replace temporary table stage_rows (a int, b int);
  insert into stage_rows select 1, 2;
  return 'ok';
end
$$;
create or replace stage S3STAGE url='s3://bucket/p' comment='stage, not a table';
create or replace file format CSVF type=csv field_optionally_enclosed_by='"' escape='\\';
create or replace TABLE ORDERS (
	ORDER_ID NUMBER(38,0),
	ORDER_TS TIMESTAMP_TZ,
	DAY DATE AS (ORDER_TS::DATE) COMMENT 'derived', -- 파생 컬럼
	AMT NUMBER(12,2) // amount, krw
) DATA_RETENTION_TIME_IN_DAYS = 7;
create table ORDERS_BAK clone ORDERS;
create table ORDERS_LIKE like ORDERS;
create stream ORD_S on table ORDERS;
create or replace view V_ORD(ORDER_ID COMMENT 'id', AMT) as select ORDER_ID, AMT from ORDERS;
comment on column ORDERS.ORDER_ID is 'order number';
