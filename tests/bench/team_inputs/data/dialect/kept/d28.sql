CREATE TABLE [item] (
  [id] INTEGER NOT NULL,
  [name] TEXT
);
