-- exported with INFORMATION_SCHEMA.TABLES.ddl
CREATE TABLE `my-proj.sales_ds.orders`
(
  order_id STRING NOT NULL OPTIONS(description="Order id, unique; see https://bq.example/a#b"),
  placed_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP(),
  customer STRUCT<
    id INT64,
    name STRING OPTIONS(description="inner name, not a column"),
    address STRUCT<street STRING, zip STRING>
  > OPTIONS(description='the customer'),
  items ARRAY<STRUCT<sku STRING, qty INT64, price NUMERIC(10, 2)>>,
  tags ARRAY<STRING>,
  total NUMERIC(12, 2) OPTIONS(description='''multi
line, "quoted"'''),
  loc GEOGRAPHY,
  PRIMARY KEY (order_id) NOT ENFORCED
)
PARTITION BY DATE(placed_at)
CLUSTER BY order_id, total
OPTIONS(
  description="orders; CREATE TABLE nothing (a INT64)",
  partition_expiration_days=730.0,
  labels=[("team", "sales"), ("x", "y")]
);

CREATE OR REPLACE TABLE FUNCTION sales_ds.top_orders(n INT64)
RETURNS TABLE<order_id STRING, total NUMERIC>
AS (SELECT order_id, total FROM sales_ds.orders LIMIT n);

CREATE TEMP FUNCTION js(x STRING) RETURNS STRING LANGUAGE js AS r'''
  // CREATE TABLE in_js (a STRING);
  return x;
''';

CREATE TABLE IF NOT EXISTS sales_ds.refunds (
  refund_id INT64 NOT NULL,
  `order` STRING, # hash remark, with a comma
  reason STRING(200) COLLATE 'und:ci',
  at DATETIME
);
CREATE VIEW sales_ds.v (order_id OPTIONS(description="x"), n) AS SELECT order_id, 1 FROM sales_ds.orders;
