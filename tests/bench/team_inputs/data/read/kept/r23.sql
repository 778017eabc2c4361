-- --------------------------------------------------------
-- 호스트:                          127.0.0.1
-- 서버 버전:                        10.6.5-MariaDB - mariadb.org binary distribution
-- HeidiSQL 버전:                   12.1.0.6537
-- --------------------------------------------------------

/*!40101 SET NAMES utf8 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;

-- 테이블 shop.goods 구조 내보내기
CREATE TABLE IF NOT EXISTS `goods` (
  `goods_no` int(10) unsigned NOT NULL AUTO_INCREMENT COMMENT '상품번호',
  `goods_nm` varchar(100) NOT NULL DEFAULT '' COMMENT '상품명',
  `option` set('색상','크기(대)','기타;') DEFAULT NULL COMMENT '옵션 : 색상/크기',
  `point` point DEFAULT NULL,
  `unique` bit(1) DEFAULT b'0',
  `period` int(11) DEFAULT -1 COMMENT '',
  PRIMARY KEY (`goods_no`) USING BTREE,
  UNIQUE KEY `u` (`goods_nm`) COMMENT '상품명은 유일, 중복 불가'
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COMMENT='상품 마스터 -- 2021년 이관';

-- 내보낼 데이터가 선택되어 있지 않습니다.

-- 뷰 shop.v_goods 구조 내보내기
-- VIEW 종속성 오류를 극복하기 위해 임시 테이블을 생성합니다.
CREATE TABLE `v_goods` (
	`goods_no` INT(10) UNSIGNED NOT NULL COMMENT '상품번호',
	`goods_nm` VARCHAR(1) NOT NULL COLLATE 'utf8mb4_general_ci'
) ENGINE=MyISAM;

-- 프로시저 shop.p 구조 내보내기
DELIMITER //
CREATE PROCEDURE `p`()
    COMMENT 'CREATE TABLE x (a int);'
BEGIN
  IF 1 THEN SELECT 1; END IF;
  CREATE TABLE in_p (a INT);
END//
DELIMITER ;

-- 트리거 shop.tr 구조 내보내기
SET @OLDTMP_SQL_MODE=@@SQL_MODE, SQL_MODE='STRICT_TRANS_TABLES';
DELIMITER //
CREATE TRIGGER `tr` BEFORE UPDATE ON `goods` FOR EACH ROW SET NEW.period = 0//
DELIMITER ;

-- 임시 테이블을 제거하고 최종 VIEW 구조를 생성
DROP TABLE IF EXISTS `v_goods`;
CREATE ALGORITHM=UNDEFINED SQL SECURITY DEFINER VIEW `v_goods` AS select `goods`.`goods_no` AS `goods_no`,`goods`.`goods_nm` AS `goods_nm` from `goods` ;
/*!40101 SET SQL_MODE=IFNULL(@OLD_SQL_MODE, '') */;
