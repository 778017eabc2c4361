/* MS-SQL 에서 옮김: [dbo].[t], GETDATE(), NVARCHAR(MAX)
GO
*/
CREATE TABLE t (
  id uuid DEFAULT gen_random_uuid(),
  doc jsonb,
  body varchar DEFAULT 'GO'::varchar,
  period tstzrange
);
