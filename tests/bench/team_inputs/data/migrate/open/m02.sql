CREATE SCHEMA "Shop"
  CREATE TABLE "Customer" (
    "customerId" integer PRIMARY KEY,
    "Email Addr" text UNIQUE,
    joined date NOT NULL DEFAULT CURRENT_DATE
  )
  CREATE VIEW "vCustomer" AS SELECT "customerId", "Email Addr" FROM "Customer";
CREATE TABLE "Shop"."Order" (
  "orderId" integer PRIMARY KEY,
  "customerId" integer NOT NULL REFERENCES "Shop"."Customer" ("customerId"),
  "select" text CHECK ("select" IN ('a, b', ')')),
  customerid integer
);
CREATE FUNCTION "Shop".touch() RETURNS trigger LANGUAGE plpgsql AS $fn$
BEGIN
  NEW."select" := coalesce(NEW."select", 'a, b');
  RETURN NEW;
END $fn$;
CREATE TRIGGER trg_touch BEFORE INSERT ON "Shop"."Order" FOR EACH ROW EXECUTE FUNCTION "Shop".touch();
CREATE TRIGGER trg_upd AFTER UPDATE OF "customerId" ON "Shop"."Order" FOR EACH ROW WHEN (OLD."customerId" IS DISTINCT FROM NEW."customerId") EXECUTE FUNCTION "Shop".touch();
COMMENT ON COLUMN "Shop"."Order"."select" IS 'chosen; "kind"';
