-- Written by an author who has seen neither the rules nor the examples of the team; truth taken from the standard by script where it says so.
use role SYSADMIN;
create or replace database CIVIC_DB;
create or replace schema CIVIC_DB.FACILITY;

create or replace TABLE CIVIC_DB.FACILITY.RESERVATION cluster by (RESERVE_DATE)(
	RESERVE_NO NUMBER(38,0) NOT NULL autoincrement start 1 increment 1 noorder,
	FACILITY_ID VARCHAR(20) NOT NULL,
	"UserName" VARCHAR(16777216),
	MOBILE VARCHAR(13) WITH MASKING POLICY CIVIC_DB.SEC.MASK_PHONE,
	RESERVE_DATE DATE,
	START_TIME TIME(9),
	END_TIME TIME(9),
	HEADCOUNT NUMBER(4,0) DEFAULT 1,
	FEE NUMBER(12,2) COMMENT '사용료, 부가세(10%) 포함',
	PAID BOOLEAN DEFAULT FALSE,
	EXTRA VARIANT,
	CANCELLED_AT TIMESTAMP_NTZ(9),
	CREATED_AT TIMESTAMP_LTZ(9) DEFAULT CURRENT_TIMESTAMP(),
	constraint PK_RESERVATION primary key (RESERVE_NO),
	foreign key (FACILITY_ID) references CIVIC_DB.FACILITY.FACILITY(FACILITY_ID)
)COMMENT='시설 예약'
;
create or replace TRANSIENT TABLE FACILITY.STG_FACILITY (
	FACILITY_ID VARCHAR(20) NOT NULL,
	FACILITY_NM VARCHAR(100) COLLATE 'ko-ci',
	ADDR VARCHAR(200) WITH TAG (CIVIC_DB.SEC.PII='address'),
	LATITUDE FLOAT,
	LONGITUDE FLOAT,
	OPEN_HOURS OBJECT,
	NM_LEN NUMBER AS (LENGTH(FACILITY_NM))
) DATA_RETENTION_TIME_IN_DAYS = 1;

create or replace stage CIVIC_DB.FACILITY.LANDING file_format = (type = csv field_delimiter = ',' skip_header = 1);
grant select on all tables in schema CIVIC_DB.FACILITY to role ANALYST;
