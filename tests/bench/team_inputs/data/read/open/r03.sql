-- phpMyAdmin SQL Dump
-- version 5.2.1
-- https://www.phpmyadmin.net/
--
-- Host: 127.0.0.1:3306
-- PHP Version: 8.2.12

SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
START TRANSACTION;
SET time_zone = "+00:00";

--
-- 데이터베이스: `board`
--

-- --------------------------------------------------------

--
-- 테이블 구조 `tb_board`
--

CREATE TABLE `tb_board` (
  `bbs_no` int(11) NOT NULL COMMENT '게시글번호',
  `title` varchar(200) NOT NULL COMMENT '제목(최대 200자, 한글은 100자)',
  `cn` mediumtext DEFAULT NULL COMMENT '내용; HTML 허용',
  `use_yn` char(1) NOT NULL DEFAULT 'Y' COMMENT '사용여부 - ''Y'' / ''N''',
  `reg_dt` datetime NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp() COMMENT '등록일시',
  `url` varchar(300) DEFAULT 'http://example.com/a;b' COMMENT '바로가기 http://example.com/x?y=1#z'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci COMMENT='게시판';

--
-- 테이블의 덤프 데이터 `tb_board`
--

INSERT INTO `tb_board` (`bbs_no`, `title`, `cn`, `use_yn`, `reg_dt`, `url`) VALUES
(1, '안녕하세요', 'CREATE TABLE `x` (\r\n`a` int\r\n);', 'Y', '2024-01-01 00:00:00', NULL),
(2, 'It\'s -- not a remark', '/*', 'N', '2024-01-02 00:00:00', NULL);

-- --------------------------------------------------------

--
-- 테이블 구조 `tb_file`
--

CREATE TABLE `tb_file` (
  `file_no` int(11) NOT NULL,
  `bbs_no` int(11) NOT NULL,
  `key` varchar(10) DEFAULT NULL COMMENT '키',
  `index` int(11) DEFAULT 0,
  `primary` tinyint(1) DEFAULT 0 COMMENT '대표여부'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

--
-- 덤프된 테이블의 인덱스
--
ALTER TABLE `tb_board`
  ADD PRIMARY KEY (`bbs_no`),
  ADD KEY `ix_reg` (`reg_dt`);

ALTER TABLE `tb_file`
  ADD PRIMARY KEY (`file_no`),
  ADD KEY `bbs_no` (`bbs_no`);

--
-- 덤프된 테이블의 AUTO_INCREMENT
--
ALTER TABLE `tb_board`
  MODIFY `bbs_no` int(11) NOT NULL AUTO_INCREMENT COMMENT '게시글번호', AUTO_INCREMENT=3;
ALTER TABLE `tb_file`
  MODIFY `file_no` int(11) NOT NULL AUTO_INCREMENT;
COMMIT;
