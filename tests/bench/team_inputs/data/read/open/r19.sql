-- 顧客管理テーブル定義 (Shift_JIS)
CREATE TABLE `顧客` (
  `顧客番号` INT NOT NULL COMMENT '顧客番号',
  `表示名` VARCHAR(40) NOT NULL COMMENT '表示名（ソート用）',
  `予定` DATE COMMENT '予定日', -- 予定
  `能力` INT COMMENT '能力表',
  `kana` VARCHAR(40) COMMENT 'ﾌﾘｶﾞﾅ',
  `備考` TEXT COMMENT '備考：十, 構',
  PRIMARY KEY (`顧客番号`)
) ENGINE=InnoDB COMMENT='顧客表';

/* 受注テーブル。 CREATE TABLE 偽 (a INT); */
CREATE TABLE `受注` (
  `受注番号` BIGINT NOT NULL,
  `ソース` VARCHAR(10) DEFAULT '表',
  `金額` DECIMAL(12,0) COMMENT '金額（税込）'
);
