\set ON_ERROR_STOP on
\connect "shop db"
\echo 'CREATE TABLE echo_t (a int);'
\set tbl 'CREATE TABLE v (a int)'
\if :{?fresh}
  \i drop_all.sql
\endif
BEGIN;
CREATE TABLE IF NOT EXISTS product (
  product_id  int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name        text COLLATE "de-x-icu" NOT NULL,
  dims        int[3][3],
  price       numeric(10, 2) NOT NULL DEFAULT 0.00 CHECK (price >= 0 AND name NOT IN ('y, z', ')')),
  valid       tstzrange NOT NULL DEFAULT tstzrange(now(), 'infinity', '[)'),
  search      tsvector GENERATED ALWAYS AS (to_tsvector('simple', coalesce(name, ''))) STORED,
  EXCLUDE USING gist (valid WITH &&) WHERE (price > 9)
) WITH (fillfactor = 70, autovacuum_enabled = false) TABLESPACE fast;
\copy product (name, price) FROM 'p.csv' WITH (FORMAT csv, HEADER)
COPY product (name) FROM stdin WITH (FORMAT csv);
"a;b"
CREATE TABLE csv_row (a int);
\.
SELECT format('CREATE TABLE shard_%s (a int)', n) FROM generate_series(1,3) n \gexec
CREATE TABLE price_log (LIKE product INCLUDING DEFAULTS, changed_at timestamptz DEFAULT now(), who text DEFAULT current_user);
CREATE TABLE price_hist (pid int, at date) PARTITION BY RANGE (at);
CREATE TABLE price_log_2024 PARTITION OF price_hist FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE ph_def PARTITION OF price_hist (pid DEFAULT 0, CHECK (pid > 0)) DEFAULT;
CREATE INDEX ON product (lower(name)) \;
COMMENT ON COLUMN product.name IS :'tbl';
COMMENT ON COLUMN product.price IS 'KRW -- incl. VAT';
COMMENT ON COLUMN product.dims IS NULL;
COMMIT;
\q
