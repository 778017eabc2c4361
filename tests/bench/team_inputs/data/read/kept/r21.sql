--
-- PostgreSQL database cluster dump
--
CREATE ROLE app;
ALTER ROLE app WITH NOSUPERUSER INHERIT LOGIN PASSWORD 'SCRAM-SHA-256$4096:abc$$def;';
\connect appdb

CREATE FUNCTION public.audit() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
BEGIN
  -- it's one quote in a remark
  INSERT INTO audit_log SELECT 'CREATE TABLE a (b int);', NEW.*;
  RETURN NEW;
END
$$;

CREATE TABLE public.party (
    party_id integer NOT NULL,
    party_nm text,
    CONSTRAINT party_nm_chk CHECK ((party_nm <> ALL (ARRAY['a, b'::text, ')'::text])))
);
CREATE TABLE public.person (
    birth_ymd character(8),
    "Gender" character(1) DEFAULT 'U'::bpchar
)
INHERITS (public.party);
ALTER TABLE ONLY public.party REPLICA IDENTITY FULL;
COMMENT ON COLUMN public.party.party_nm IS '당사자명';
COMMENT ON COLUMN public.person.birth_ymd IS 'YYYYMMDD; 음력은 쓰지 않음';
COMMENT ON COLUMN public.person.party_nm IS '성명';
COMMENT ON CONSTRAINT party_nm_chk ON public.party IS 'COMMENT ON COLUMN public.party.party_id IS ''x'';';

CREATE UNLOGGED TABLE public.session (
    sid uuid DEFAULT gen_random_uuid() NOT NULL,
    data jsonb DEFAULT '{"a": [1, 2]}'::jsonb,
    tags text[] DEFAULT '{}'::text[]
);
CREATE FOREIGN TABLE public.ext_rates (
    cur character(3) OPTIONS (column_name 'CURRENCY') NOT NULL,
    rate numeric(18,6)
)
SERVER fdw OPTIONS (table_name 'CREATE TABLE z (a int)');
CREATE MATERIALIZED VIEW public.mv_person AS
 SELECT person.party_id, person."Gender" FROM public.person WITH NO DATA;
CREATE VIEW public.v AS SELECT 1 AS one;
CREATE RULE r AS ON INSERT TO public.v DO INSTEAD NOTHING;
COPY public.party (party_id, party_nm) FROM stdin;
1	\\.
2	COMMENT ON TABLE public.party IS 'no';
\.
COPY public.person (party_id, party_nm, birth_ymd, "Gender") FROM stdin;
\.
CREATE POLICY p ON public.person FOR SELECT USING (("Gender" = 'F'::bpchar));
ALTER TABLE public.person ENABLE ROW LEVEL SECURITY;
CREATE TRIGGER t AFTER INSERT ON public.person FOR EACH ROW EXECUTE FUNCTION public.audit();
GRANT SELECT(party_nm) ON TABLE public.party TO app;
