-- Written by an author who has seen neither the rules nor the examples of the team; truth taken from the standard by script where it says so.
CREATE SCHEMA IF NOT EXISTS `acme-prod.sales_mart` OPTIONS(location="asia-northeast3");

CREATE OR REPLACE TABLE `acme-prod.sales_mart.fct_order`
(
  order_id STRING NOT NULL OPTIONS(description="주문번호"),
  customer_id INT64,
  order_ts TIMESTAMP OPTIONS(description="주문 시각, UTC (not KST)"),
  shipping STRUCT<
    zip STRING OPTIONS(description="우편번호"),
    address STRING,
    geo STRUCT<lat FLOAT64, lon FLOAT64>
  > OPTIONS(description="배송지"),
  items ARRAY<STRUCT<sku STRING, qty INT64, unit_price NUMERIC(12, 2)>>,
  coupon_codes ARRAY<STRING>,
  total_amount NUMERIC(15, 2) DEFAULT 0 OPTIONS(description='결제금액'),
  is_gift BOOL,
  `partition` DATE,
  memo STRING(500) OPTIONS(description="""free text,
may contain ) and ;""", policy_tags=["projects/p/locations/l/taxonomies/1/policyTags/2"]),
  PRIMARY KEY (order_id) NOT ENFORCED
)
PARTITION BY TIMESTAMP_TRUNC(order_ts, DAY)
CLUSTER BY customer_id, order_id
OPTIONS(
  description="주문 사실 테이블",
  partition_expiration_days=730,
  labels=[("team", "mart"), ("env", "prod")]
);

CREATE TABLE IF NOT EXISTS sales_mart.dim_customer (
  customer_id INT64 NOT NULL,
  customer_nm STRING,
  birth_date DATE,
  phones ARRAY<STRUCT<kind STRING, number STRING>>,
  agreed JSON,
  loaded_at DATETIME DEFAULT CURRENT_DATETIME("Asia/Seoul")
);
