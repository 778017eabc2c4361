CREATE TABLE meter (
  m_no varchar(20) NOT NULL, read_at timestamptz NOT NULL, val numeric(12,3), region text NOT NULL,
  PRIMARY KEY (region, m_no, read_at)
) PARTITION BY LIST (region);
CREATE TABLE meter_seoul PARTITION OF meter FOR VALUES IN ('서울') PARTITION BY RANGE (read_at);
CREATE TABLE meter_seoul_24 PARTITION OF meter_seoul FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE meter_busan (val numeric(12,3), region text NOT NULL, read_at timestamptz NOT NULL, m_no varchar(20) NOT NULL);
ALTER TABLE meter ATTACH PARTITION meter_busan FOR VALUES IN ('부산');
CREATE TABLE alarm (
  alarm_no serial PRIMARY KEY, region text, m_no varchar(20), read_at timestamptz,
  CONSTRAINT alarm_fk FOREIGN KEY (region, m_no, read_at) REFERENCES meter (region, m_no, read_at)
);
CREATE FUNCTION trg_meter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.val > 1000 THEN INSERT INTO alarm (region, m_no, read_at) VALUES (NEW.region, NEW.m_no, NEW.read_at); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER meter_ai AFTER INSERT ON meter FOR EACH ROW EXECUTE FUNCTION trg_meter();
CREATE MATERIALIZED VIEW mv_meter AS SELECT m_no, max(val) AS val FROM meter GROUP BY m_no WITH NO DATA;
COMMENT ON COLUMN meter.m_no IS '계량기번호'; COMMENT ON COLUMN meter.read_at IS '검침일시'; COMMENT ON COLUMN meter_busan.m_no IS '부산 계량기번호';
INSERT INTO meter (m_no, read_at, val, region) VALUES ('1', '2024-02-01', 5, '서울'), ('2', '2024-02-01', 2000, '부산');
