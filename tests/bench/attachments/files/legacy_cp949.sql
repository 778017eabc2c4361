-- 구 전산 퇴원 테이블
CREATE TABLE TOIWON (
  HWANJA_NO  CHAR(8),      -- 환자번호
  IPWON_IL   CHAR(8),      -- 입원일자
  TOIWON_IL  CHAR(8),      -- 퇴원일자
  SAYU       VARCHAR(100)  -- 퇴원사유
);
