-- Databricks / Hive
CREATE DATABASE IF NOT EXISTS lake COMMENT 'raw; zone' LOCATION 's3a://bucket/lake';
USE lake;
CREATE TABLE IF NOT EXISTS lake.events (
  event_id BIGINT COMMENT 'id, of the event',
  payload STRUCT<user: STRUCT<id: BIGINT, name: STRING COMMENT 'inner'>, kind: STRING>,
  attrs MAP<STRING, ARRAY<INT>> COMMENT 'attributes; free',
  amount DECIMAL(10,2) COMMENT 'it\'s KRW',
  ts TIMESTAMP
)
COMMENT 'click events'
PARTITIONED BY (dt STRING COMMENT 'yyyymmdd', region STRING)
ROW FORMAT SERDE 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe'
STORED AS PARQUET
LOCATION 's3://bucket/events;v=1'
TBLPROPERTIES ('parquet.compress'='SNAPPY', 'note'='CREATE TABLE t (a INT)');

CREATE OR REPLACE TABLE lake.users (
  id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 1 INCREMENT BY 1),
  birth DATE,
  birth_year INT GENERATED ALWAYS AS (YEAR(birth)) COMMENT 'computed',
  `e mail` STRING
) USING DELTA
PARTITIONED BY (birth_year)
CLUSTER BY AUTO;

CREATE EXTERNAL TABLE raw_csv (line STRING)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\;' LINES TERMINATED BY '\n'
STORED AS TEXTFILE;

CREATE TABLE lake.daily USING DELTA AS
SELECT dt, region, count(*) AS n_events, sum(amount) total_amount FROM lake.events GROUP BY dt, region;

CREATE TEMPORARY VIEW tv (a COMMENT 'x', b) AS SELECT 1, 2;
ALTER TABLE lake.users ADD COLUMNS (phone STRING COMMENT 'phone no, mobile', note STRING AFTER birth);
MSCK REPAIR TABLE lake.events;
