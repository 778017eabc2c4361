-- Fernhill web shop (MySQL 8)
CREATE TABLE `customers` (
  `customer_id` INT UNSIGNED NOT NULL AUTO_INCREMENT,
  `full_name`   VARCHAR(120) NOT NULL COMMENT 'customer name',
  `email`       VARCHAR(190) NOT NULL COMMENT 'e-mail address',
  `phone`       VARCHAR(20) DEFAULT NULL COMMENT 'telephone number',
  `card_no`     VARCHAR(128) DEFAULT NULL COMMENT 'payment card number, encrypted with AES-256-GCM',
  `created_at`  DATETIME NOT NULL,
  PRIMARY KEY (`customer_id`),
  UNIQUE KEY `uq_email` (`email`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='Customers. Retention: 24 months after the last order';

CREATE TABLE `orders` (
  `order_id`    INT UNSIGNED NOT NULL AUTO_INCREMENT,
  `customer_id` INT UNSIGNED NOT NULL,
  `sku`         VARCHAR(32) NOT NULL,
  `qty`         SMALLINT NOT NULL,
  `total_pence` INT NOT NULL,
  `ordered_at`  DATETIME NOT NULL,
  PRIMARY KEY (`order_id`)
) ENGINE=InnoDB COMMENT='Customer orders. Retention: 24 months after the last order';
