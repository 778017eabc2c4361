-- Written by an author who has seen neither the rules nor the examples of the team; truth taken from the standard by script where it says so.
-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: library
-- ------------------------------------------------------
-- Server version	8.0.36-0ubuntu0.22.04.1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;

--
-- Table structure for table `book_loan`
--

DROP TABLE IF EXISTS `book_loan`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `book_loan` (
  `loan_no` bigint unsigned NOT NULL AUTO_INCREMENT COMMENT '대출번호',
  `member_no` int NOT NULL COMMENT '회원번호',
  `book_cd` varchar(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT '도서코드',
  `loan_date` date NOT NULL COMMENT '대출일자',
  `return_due_date` date DEFAULT NULL COMMENT '반납예정일자(연장, 휴관일 포함)',
  `return_date` date DEFAULT NULL COMMENT '반납일자',
  `overdue_days` int DEFAULT '0' COMMENT '연체일수',
  `loan_type` enum('NORMAL','INTER(상호대차)','READ, ONLY') DEFAULT 'NORMAL' COMMENT '대출유형',
  `ext_yn` char(1) DEFAULT 'N' COMMENT '연장여부: ''Y'' 또는 ''N''',
  `fine` decimal(10,0) DEFAULT NULL,
  `fine_vat` decimal(10,0) GENERATED ALWAYS AS ((`fine` * 0.1)) VIRTUAL,
  `key` varchar(64) DEFAULT NULL COMMENT '연계키',
  `reg_dt` datetime NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT '등록일시',
  `upd_dt` datetime DEFAULT NULL ON UPDATE CURRENT_TIMESTAMP COMMENT '수정일시',
  PRIMARY KEY (`loan_no`),
  UNIQUE KEY `uk_loan` (`member_no`,`book_cd`,`loan_date`),
  KEY `ix_loan_due` (`return_due_date`) USING BTREE,
  FULLTEXT KEY `ft_key` (`key`),
  CONSTRAINT `fk_loan_member` FOREIGN KEY (`member_no`) REFERENCES `member` (`member_no`)
) ENGINE=InnoDB AUTO_INCREMENT=20311 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci COMMENT='도서대출';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `book_loan`
--

LOCK TABLES `book_loan` WRITE;
INSERT INTO `book_loan` VALUES (1,3,'B001','2024-01-02','2024-01-16',NULL,0,'NORMAL','N',NULL,NULL,'CREATE TABLE `x` (`y` int);','2024-01-02 10:00:00',NULL);
UNLOCK TABLES;

--
-- Table structure for table `member`
--

DROP TABLE IF EXISTS `member`;
CREATE TABLE `member` (
  `member_no` int NOT NULL AUTO_INCREMENT COMMENT '회원번호',
  `member_nm` varchar(50) NOT NULL COMMENT '회원명',
  `birth` char(8) DEFAULT NULL COMMENT '생년월일',
  `hp_no` varchar(13) DEFAULT NULL COMMENT '휴대전화번호',
  `email` varchar(100) DEFAULT NULL COMMENT '이메일주소',
  `zipcd` char(5) DEFAULT NULL COMMENT '우편번호',
  `addr1` varchar(200) DEFAULT NULL COMMENT '도로명주소',
  `addr2` varchar(200) DEFAULT NULL COMMENT '상세주소',
  `use_at` char(1) NOT NULL DEFAULT 'Y' COMMENT '사용여부',
  `last_login` datetime DEFAULT NULL COMMENT '최종로그인일시',
  PRIMARY KEY (`member_no`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='회원';
/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
-- Dump completed on 2024-02-20  9:11:05
