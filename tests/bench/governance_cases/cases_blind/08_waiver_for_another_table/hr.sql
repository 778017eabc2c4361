-- SQL Server 2019
CREATE TABLE [dbo].[employees] (
    [employee_id]  INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
    [full_name]    NVARCHAR(80) NOT NULL,
    [foreigner_no] CHAR(14) NULL,
    [hired_on]     DATE NOT NULL
);
GO
CREATE TABLE [archive].[employees] (
    [employee_id]  INT NOT NULL PRIMARY KEY,
    [full_name]    NVARCHAR(80) NOT NULL,
    [foreigner_no] CHAR(14) NULL
);
GO
ALTER TABLE [dbo].[employees] ADD [driver_licence_no] VARCHAR(15) NULL, [locker_no] INT NULL;
GO
EXEC sp_addextendedproperty 'MS_Description', N'plain text, encryption is planned for 2027',
     'SCHEMA', 'dbo', 'TABLE', 'employees', 'COLUMN', 'foreigner_no';
GO
