"""Files in the database: the contents of artifacts and uploads, as rows."""
