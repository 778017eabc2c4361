-- Written by an author who has seen neither the rules nor the examples of the team; truth taken from the standard by script where it says so.
-- bronze / silver layer, run from notebook 02_tables
CREATE DATABASE IF NOT EXISTS silver;

CREATE TABLE IF NOT EXISTS silver.sensor_reading (
  sensor_id STRING NOT NULL COMMENT '센서 식별자',
  measured_at TIMESTAMP COMMENT '측정일시',
  temp_c DOUBLE,
  humidity DECIMAL(5,2) COMMENT 'relative, 0-100 (%)',
  tags MAP<STRING, STRING>,
  location STRUCT<lat: DOUBLE, lon: DOUBLE, addr: STRING COMMENT '주소'>,
  samples ARRAY<INT>,
  `raw-payload` STRING,
  measured_ymd DATE GENERATED ALWAYS AS (CAST(measured_at AS DATE)),
  ingest_dt STRING
)
USING delta
PARTITIONED BY (ingest_dt)
LOCATION 'abfss://lake@acct.dfs.core.windows.net/silver/sensor_reading'
TBLPROPERTIES ('delta.autoOptimize.optimizeWrite' = 'true', 'owner' = 'data-eng');

CREATE OR REPLACE TABLE silver.sensor_master
( sensor_id STRING
, SensorName STRING COMMENT "설치 장소의 센서명"
, installDate DATE
, maker STRING
, model_nm STRING
, useYn STRING DEFAULT 'Y'
) USING DELTA
CLUSTER BY (sensor_id)
COMMENT '센서 기준정보';

create external table bronze.air_quality_csv (
  station_nm string,
  pm10 int,
  pm25 int,
  data_time string
)
partitioned by (ymd string comment '수집일자')
row format delimited fields terminated by ','
stored as textfile
location '/bronze/air_quality';
