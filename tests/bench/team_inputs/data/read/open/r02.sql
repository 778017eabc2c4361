-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------
-- Server version	8.0.36

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;

DROP TABLE IF EXISTS `cart_item`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `cart_item` (
  `id` bigint unsigned NOT NULL AUTO_INCREMENT,
  `sku` varchar(40) COLLATE utf8mb4_unicode_ci NOT NULL COMMENT 'stock keeping unit; e.g. ''A-1'', (B)',
  `qty` int NOT NULL DEFAULT '1',
  `price` decimal(12,2) NOT NULL,
  `line_total` decimal(14,2) GENERATED ALWAYS AS ((`qty` * `price`)) STORED COMMENT 'qty x price',
  `opts` json DEFAULT NULL,
  `hidden` tinyint(1) NOT NULL DEFAULT '0' /*!80023 INVISIBLE */,
  `kind` enum('normal','gift, wrapped','it''s (free)') NOT NULL DEFAULT 'normal',
  PRIMARY KEY (`id`),
  UNIQUE KEY `uk_sku` (`sku`,`kind`),
  KEY `ix_low` ((lower(`sku`))),
  FULLTEXT KEY `ft` (`sku`) /*!50100 WITH PARSER `ngram` */ ,
  CONSTRAINT `chk_q` CHECK (((`qty` > 0) and (`kind` in ('normal','gift, wrapped'))))
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci COMMENT='items in a cart'
/*!50100 PARTITION BY RANGE (`id`)
(PARTITION p0 VALUES LESS THAN (1000) ENGINE = InnoDB,
 PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES `cart_item` WRITE;
/*!40000 ALTER TABLE `cart_item` DISABLE KEYS */;
INSERT INTO `cart_item` (`id`, `sku`, `qty`, `price`) VALUES (1,'x\'); CREATE TABLE `evil` (`a` int);',1,2.00),(2,'back\\',1,3.00);
/*!40000 ALTER TABLE `cart_item` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET sql_mode              = 'NO_AUTO_VALUE_ON_ZERO' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER `cart_bi` BEFORE INSERT ON `cart_item` FOR EACH ROW BEGIN
  IF NEW.qty IS NULL THEN SET NEW.qty = 1; END IF;
  SET @s = 'CREATE TABLE t_in_trigger (z int)';
END */;;
DELIMITER ;

--
-- Temporary view structure for view `v_cart`
--

/*!50001 DROP VIEW IF EXISTS `v_cart`*/;
SET @saved_cs_client     = @@character_set_client;
/*!50001 CREATE VIEW `v_cart` AS SELECT 
 1 AS `sku`,
 1 AS `total`*/;
SET character_set_client = @saved_cs_client;

DROP TABLE IF EXISTS `customer`;
CREATE TABLE `customer` (
  `customer_id` int NOT NULL,
  `e-mail` varchar(255) DEFAULT NULL COMMENT 'login -- see http://intra/login#2',
  `name``odd` varchar(10) DEFAULT NULL,
  PRIMARY KEY (`customer_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

DELIMITER $$
CREATE DEFINER=`root`@`%` PROCEDURE `mk`()
BEGIN
  CREATE TEMPORARY TABLE tmp_x (a INT, b INT);
  INSERT INTO tmp_x VALUES (1,2);
END$$
DELIMITER ;

/*!50001 DROP VIEW IF EXISTS `v_cart`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `v_cart` AS select `cart_item`.`sku` AS `sku`,sum(`cart_item`.`line_total`) AS `total` from `cart_item` group by `cart_item`.`sku` */;
-- Dump completed on 2024-03-01 10:00:00
