CREATE TABLE tb_cnsl (
    상담번호  bigint PRIMARY KEY,
    고객명    varchar(40),
    전화번호  varchar(20),
    상담유형  varchar(20),
    상담일자  date NOT NULL
);
COMMENT ON TABLE tb_cnsl IS '고객 상담 이력';
COMMENT ON COLUMN tb_cnsl.상담일자 IS '상담을 등록한 날';
