-- PostgreSQL: serial / MySQL: AUTO_INCREMENT / Oracle: VARCHAR2
CREATE TABLE dbo.Stock (
  Id uniqueidentifier NOT NULL DEFAULT NEWSEQUENTIALID(),
  Qty int NOT NULL,
  Val AS (Qty * 2) PERSISTED,
  INDEX ix CLUSTERED (Id)
) WITH (DATA_COMPRESSION = PAGE);
EXEC sp_addextendedproperty N'MS_Description', N'`수량` NUMBER(10)', N'SCHEMA', N'dbo', N'TABLE', N'Stock', N'COLUMN', N'Qty';
