-- public.tb_user definition

-- Drop table

-- DROP TABLE public.tb_user;

CREATE TABLE public.tb_user (
	user_id varchar(20) NOT NULL, -- 사용자ID
	user_nm varchar(50) NULL, -- 사용자명, (실명)
	pwd_err_cnt int2 DEFAULT 0 NULL, -- 비밀번호오류횟수
	login_at timestamptz(6) NULL,
	"desc" text DEFAULT '-- 주석 아님'::text NULL,
	CONSTRAINT tb_user_pk PRIMARY KEY (user_id)
);
CREATE INDEX tb_user_nm_idx ON public.tb_user USING btree (user_nm);
COMMENT ON TABLE public.tb_user IS '사용자';

-- Column comments

COMMENT ON COLUMN public.tb_user.user_id IS '사용자ID';
COMMENT ON COLUMN public.tb_user.user_nm IS '사용자명, (실명)';
COMMENT ON COLUMN public.tb_user.pwd_err_cnt IS '비밀번호오류횟수';

-- Permissions

ALTER TABLE public.tb_user OWNER TO postgres;
GRANT ALL ON TABLE public.tb_user TO postgres;

-- Table Triggers

create trigger trg_u before
update
    on
    public.tb_user for each row execute function set_upd();

-- public.tb_log_p2024 definition

CREATE TABLE public.tb_log (
	log_id bigserial NOT NULL, -- 로그
	msg text NULL
)
PARTITION BY HASH (log_id);
CREATE TABLE public.tb_log_p0 PARTITION OF public.tb_log  FOR VALUES WITH (modulus 2, remainder 0);
CREATE TABLE public.tb_log_p1 PARTITION OF public.tb_log (
    CONSTRAINT ck CHECK (length(msg) < 10)
) FOR VALUES WITH (modulus 2, remainder 1);

-- public.v_user source

CREATE OR REPLACE VIEW public.v_user
AS SELECT user_id,
    user_nm
   FROM tb_user;

-- DROP FUNCTION public.set_upd();

CREATE OR REPLACE FUNCTION public.set_upd()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN NEW.login_at = now(); RETURN NEW; END;
$function$
;
