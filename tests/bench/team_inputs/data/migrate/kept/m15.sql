CREATE TABLE item (
  item_no INT NOT NULL PRIMARY KEY,
  nm VARCHAR(100) NOT NULL DEFAULT '' COMMENT '품명; "한글"',
  amt DECIMAL(12,2) NOT NULL DEFAULT 0.00 CHECK (amt >= 0),
  low VARCHAR(100) AS (LOWER(nm)) VIRTUAL,
  pt POINT NOT NULL,
  flag BIT(1) DEFAULT b'1',
  UNIQUE KEY ux (low),
  FULLTEXT KEY ft (nm),
  SPATIAL KEY sp (pt)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci COMMENT='품목';
CREATE TABLE stock (
  item_no INT NOT NULL, wh CHAR(4) NOT NULL, amt INT NOT NULL DEFAULT 0 COMMENT '수량',
  PRIMARY KEY (item_no, wh), CONSTRAINT fk_item FOREIGN KEY (item_no) REFERENCES item (item_no)
) ENGINE=InnoDB;
CREATE VIEW v_stock AS SELECT i.nm, s.amt FROM item i JOIN stock s USING (item_no);
CREATE VIEW v_top AS SELECT nm FROM v_stock WHERE amt > 10;
CREATE TRIGGER stock_au AFTER UPDATE ON stock FOR EACH ROW UPDATE item SET flag = b'0' WHERE item_no = NEW.item_no AND NEW.amt = 0;
CREATE EVENT ev_clean ON SCHEDULE EVERY 1 DAY DISABLE DO DELETE FROM stock WHERE amt = 0;
