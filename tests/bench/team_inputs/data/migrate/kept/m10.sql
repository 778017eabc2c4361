CREATE DOMAIN won AS numeric(15) DEFAULT 0 CHECK (VALUE >= 0);
CREATE TYPE addr AS (zip char(5), line text);
CREATE TABLE bill (
  bill_no int PRIMARY KEY,
  due char(8) NOT NULL,
  amt won,
  paid won,
  ship addr,
  rest numeric GENERATED ALWAYS AS (amt - paid) STORED,
  CONSTRAINT bill_ck CHECK (paid <= amt AND (ship).zip <> 'amt'),
  EXCLUDE USING btree (due WITH =, amt WITH =)
);
CREATE INDEX bill_zip ON bill (((ship).zip), (amt - paid)) INCLUDE (due);
CREATE VIEW v_bill AS SELECT bill_no, due, amt FROM bill WITH CASCADED CHECK OPTION;
CREATE FUNCTION v_bill_ins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO bill (bill_no, due, amt) VALUES (NEW.bill_no, NEW.due, NEW.amt); RETURN NEW; END $$;
CREATE VIEW v_bill2 AS SELECT * FROM bill;
CREATE TRIGGER v_bill2_io INSTEAD OF INSERT ON v_bill2 FOR EACH ROW EXECUTE FUNCTION v_bill_ins();
COMMENT ON COLUMN bill.due IS '납기일자'; COMMENT ON COLUMN bill.amt IS '고지금액'; COMMENT ON VIEW v_bill IS 'amt of bills';
INSERT INTO bill (bill_no, due, amt, paid, ship) VALUES (1, '20240131', 100, 50, ROW('12345', 'x'));
