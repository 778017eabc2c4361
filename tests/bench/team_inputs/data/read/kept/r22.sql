/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB, for debian-linux-gnu (x86_64)
--
/*!40101 SET NAMES utf8mb4 */;
CREATE DATABASE /*!32312 IF NOT EXISTS*/ `hr` /*!40100 DEFAULT CHARACTER SET utf8mb4 */;
USE `hr`;
CREATE SEQUENCE `emp_seq` start with 1 minvalue 1 maxvalue 9223372036854775806 increment by 1 cache 1000 nocycle ENGINE=InnoDB;
DROP TABLE IF EXISTS `emp`;
CREATE TABLE `emp` (
  `emp_no` int(11) NOT NULL DEFAULT nextval(`hr`.`emp_seq`),
  `nm` varchar(50) NOT NULL COMMENT '성명\n(한글; ''실명'')',
  `attr` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`attr`)),
  `full` varchar(100) GENERATED ALWAYS AS (concat(`nm`,' (',`emp_no`,')')) VIRTUAL,
  `row_start` timestamp(6) GENERATED ALWAYS AS ROW START,
  `row_end` timestamp(6) GENERATED ALWAYS AS ROW END,
  `ip` inet6 DEFAULT NULL COMMENT 'ip, v6',
  PRIMARY KEY (`emp_no`,`row_end`),
  PERIOD FOR SYSTEM_TIME (`row_start`, `row_end`),
  KEY `s` (`nm`),
  CONSTRAINT `ck` CHECK (`nm` <> 'a, b)' and `emp_no` > 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 WITH SYSTEM VERSIONING COMMENT='사원; 이력'
 PARTITION BY SYSTEM_TIME 
(PARTITION `p0` HISTORY ENGINE = InnoDB,
 PARTITION `pn` CURRENT ENGINE = InnoDB);
INSERT INTO `emp` VALUES
(1,'O\'Neil; CREATE TABLE `a` (`b` int)','{\"k\": \"\\\\\"}',DEFAULT,NULL,NULL,NULL);
DELIMITER //
CREATE OR REPLACE EVENT `e` ON SCHEDULE EVERY 1 DAY DO BEGIN
 CREATE TABLE IF NOT EXISTS `ev_tab` (`x` INT);
 DELETE FROM emp WHERE nm = '//';
END //
DELIMITER ;
/*!50001 CREATE TABLE `v_emp` (
  `emp_no` tinyint NOT NULL,
  `nm` tinyint NOT NULL
) ENGINE=MyISAM */;
CREATE TABLE `person` (
  `no` int(11) NOT NULL,
  `성별` enum('남','여') DEFAULT NULL COMMENT '성별'
) ENGINE=Aria TRANSACTIONAL=1;
/*!50001 DROP TABLE IF EXISTS `v_emp`*/;
/*!50001 CREATE VIEW `v_emp` AS select `emp`.`emp_no` AS `emp_no`,`emp`.`nm` AS `nm` from `emp` */;
