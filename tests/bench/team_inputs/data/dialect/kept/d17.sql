CREATE TABLE `t` (
  `id` bigint(20) NOT NULL,
  `nvarchar_max` varchar(20) DEFAULT 'GO',
  `jsonb` json DEFAULT NULL,
  KEY `k` (`id`)
) DEFAULT CHARSET=utf8mb4 COMMENT='VARCHAR2 NUMBER(10) SYSDATE from Oracle
GO
';
