CREATE SCHEMA app CREATE TABLE account (acct_no varchar(20) PRIMARY KEY, owner text NOT NULL, bal numeric(18,2) DEFAULT 0) CREATE INDEX account_owner_ix ON account (lower(owner));
ALTER TABLE app.account ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE TABLE app.txn (txn_no bigserial PRIMARY KEY, acct_no varchar(20) REFERENCES app.account ON DELETE CASCADE, amt numeric(18,2) NOT NULL, at timestamptz DEFAULT now());
CREATE POLICY own_read ON app.account FOR SELECT USING (owner = current_user);
CREATE POLICY own_txn ON app.txn USING (EXISTS (SELECT 1 FROM app.account a WHERE a.acct_no = txn.acct_no AND a.owner = current_user)) WITH CHECK (amt <> 0);
CREATE ROLE m11_teller;
GRANT USAGE ON SCHEMA app TO m11_teller;
GRANT SELECT (acct_no, bal) ON app.account TO m11_teller;
CREATE FUNCTION app.post() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = app AS $post$
BEGIN
  UPDATE account SET bal = bal + NEW.amt WHERE acct_no = NEW.acct_no;
  PERFORM pg_notify('txn', json_build_object('amt', NEW.amt)::text);
  RETURN NEW;
END $post$;
CREATE TRIGGER txn_post AFTER INSERT ON app.txn FOR EACH ROW EXECUTE FUNCTION app.post();
CREATE VIEW app.v_account WITH (security_barrier) AS SELECT acct_no, bal FROM app.account;
GRANT SELECT ON app.v_account TO m11_teller;
COMMENT ON COLUMN app.account.bal IS '잔액'; COMMENT ON COLUMN app.account.owner IS '소유자명'; COMMENT ON COLUMN app.txn.amt IS '거래금액';
