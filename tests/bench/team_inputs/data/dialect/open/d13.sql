SET client_encoding = 'UTF8';
CREATE TABLE public.snippet (id integer NOT NULL, sql text);
COPY public.snippet (id, sql) FROM stdin;
1	CREATE TABLE `a` (`id` int AUTO_INCREMENT) ENGINE=InnoDB;
2	CREATE TABLE [dbo].[a] ([id] int IDENTITY(1,1)) GO
3	CREATE TABLE A (B VARCHAR2(10), C NUMBER(10));
4	/*!40101 SET NAMES utf8 */;
5	GO
\.
