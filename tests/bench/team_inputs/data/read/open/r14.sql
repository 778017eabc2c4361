/* CUBRID unloaddb schema file  (cubrid 11.2) */
CREATE CLASS [tb_member] DONT_REUSE_OID, COLLATE utf8_bin COMMENT '회원';
ALTER CLASS [tb_member] ADD ATTRIBUTE
       [member_no] integer AUTO_INCREMENT(1,1) NOT NULL COMMENT '회원번호',
       [member_nm] character varying(50) COLLATE utf8_bin COMMENT '회원명, 실명',
       [hobbies] set_of(character varying(20)),
       [grades] sequence_of(integer, character(1)) COMMENT '등급''들''',
       [join_dt] datetime DEFAULT SYSDATETIME;

ALTER CLASS [tb_member] ADD ATTRIBUTE CONSTRAINT [pk_tb_member_member_no] PRIMARY KEY([member_no]);

CREATE TABLE tb_vip UNDER tb_member (
  vip_level INT DEFAULT 1,
  "limit" NUMERIC(15,0) COMMENT '한도'
);
CREATE SERIAL [tb_member_ai_member_no] START WITH 1 INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 NOCYCLE CLASS [tb_member];
CREATE TABLE tb_log (
  log_no BIGINT AUTO_INCREMENT PRIMARY KEY, -- 로그번호
  msg STRING,
  lvl ENUM('I','W','E, fatal')
) PARTITION BY LIST (lvl) (PARTITION pi VALUES IN ('I'), PARTITION po VALUES IN ('W','E, fatal'));
CREATE VCLASS v_member AS SELECT member_no, member_nm FROM tb_member;
