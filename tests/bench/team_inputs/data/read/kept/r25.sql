-- deployment script 사원관리
SET NOCOUNT ON;
IF NOT EXISTS (SELECT 1 FROM sys.schemas WHERE name = N'hr') EXEC('CREATE SCHEMA hr');
go
IF OBJECT_ID(N'hr.Emp', N'U') IS NULL
BEGIN
    CREATE TABLE hr.Emp (
        EmpNo INT IDENTITY PRIMARY KEY,
        [Emp Name] NVARCHAR(50) COLLATE Korean_Wansung_CI_AS NOT NULL,
        "Dept.Code" CHAR(4) NULL CONSTRAINT FK_D FOREIGN KEY REFERENCES hr.Dept(Code),
        Pay MONEY SPARSE NULL,
        Tax AS Pay * 0.1,
        Attrs XML COLUMN_SET FOR ALL_SPARSE_COLUMNS,
        ValidFrom DATETIME2 GENERATED ALWAYS AS ROW START HIDDEN NOT NULL,
        ValidTo DATETIME2 GENERATED ALWAYS AS ROW END HIDDEN NOT NULL,
        PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo),
        INDEX ix_pay NONCLUSTERED (Pay, EmpNo),
        CONSTRAINT ck CHECK (Pay > 0 OR [Emp Name] IN (N'a, b', N')'))
    ) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = hr.EmpHist));
END
GO
CREATE TABLE hr.Dept (Code CHAR(4) NOT NULL, Name NVARCHAR(40) -- 부서명
, Parent CHAR(4))
GO
DECLARE @sql NVARCHAR(MAX) = N'
CREATE TABLE hr.Dyn_' + CONVERT(VARCHAR, YEAR(GETDATE())) + N' (A INT)';
EXEC sp_executesql @sql;
DECLARE @tv TABLE (x INT, y INT);
CREATE TABLE #stage (a INT, b INT);
CREATE TABLE ##glob (c INT);
GO 5
SELECT EmpNo, Pay * 2 AS DoublePay INTO hr.EmpCopy FROM hr.Emp;
GO
CREATE SYNONYM dbo.Employee FOR hr.Emp;
GO
CREATE VIEW hr.vEmp WITH SCHEMABINDING AS SELECT EmpNo, [Emp Name] FROM hr.Emp;
GO
ALTER TABLE hr.Dept ADD Phone VARCHAR(20) NULL, Fax VARCHAR(20) NULL CONSTRAINT df DEFAULT ('-, -') WITH VALUES;
ALTER TABLE hr.Dept DROP COLUMN Parent;
GO
EXEC sp_rename 'hr.Dept.Fax', 'FaxNo', 'COLUMN';
GO
EXEC sp_addextendedproperty 'MS_Description', N'부서코드', 'SCHEMA', 'hr', 'TABLE', 'Dept', 'COLUMN', 'Code';
