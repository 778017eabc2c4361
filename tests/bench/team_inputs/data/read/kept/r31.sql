-- Databricks notebook source
-- MAGIC %md
-- MAGIC # Bronze layer
-- MAGIC CREATE TABLE in_markdown (a INT);

-- COMMAND ----------

CREATE TABLE IF NOT EXISTS main.bronze.trips (
  trip_id STRING NOT NULL COMMENT "trip; id",
  route ARRAY<STRUCT<lat: DOUBLE, lon: DOUBLE>>,
  fare DECIMAL(10, 2) DEFAULT 0.0 COMMENT 'fare, KRW',
  started TIMESTAMP,
  started_date DATE GENERATED ALWAYS AS (CAST(started AS DATE)),
  extra VARIANT,
  CONSTRAINT pk PRIMARY KEY (trip_id) RELY,
  CONSTRAINT pos EXPECT (fare >= 0) ON VIOLATION DROP ROW
)
USING delta
PARTITIONED BY (started_date)
COMMENT "trips, raw"
TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported', 'k' = 'v);')

-- COMMAND ----------

-- MAGIC %python
-- MAGIC spark.sql("CREATE TABLE py (a INT)")

-- COMMAND ----------

CREATE OR REPLACE TABLE main.silver.trips_clean
AS SELECT trip_id, fare * 1.1 AS fare_vat, date_format(started, 'yyyy, MM') AS ym FROM main.bronze.trips

-- COMMAND ----------

CREATE TABLE main.silver.trips_copy SHALLOW CLONE main.bronze.trips;
CREATE OR REFRESH STREAMING TABLE main.silver.stream (id BIGINT, v STRING COMMENT 'value')
AS SELECT * FROM STREAM(main.bronze.trips);
CREATE FUNCTION main.silver.f(a INT, b STRING) RETURNS TABLE (c INT) RETURN SELECT a;
CREATE TABLE main.bronze.drivers (id BIGINT, `licence-no` STRING COMMENT 'licence') CLUSTER BY (id)
