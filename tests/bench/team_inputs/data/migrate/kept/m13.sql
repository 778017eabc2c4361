CREATE TABLE node (
  id int PRIMARY KEY, parent int REFERENCES node (id), path text NOT NULL, ord int DEFAULT 0,
  depth int GENERATED ALWAYS AS (length(path) - length(replace(path, '/', ''))) STORED,
  UNIQUE (parent, ord) DEFERRABLE INITIALLY DEFERRED
);
CREATE RECURSIVE VIEW tree (id, parent, lvl) AS
  SELECT id, parent, 0 FROM node WHERE parent IS NULL
  UNION ALL SELECT n.id, n.parent, t.lvl + 1 FROM node n JOIN tree t ON n.parent = t.id;
CREATE MATERIALIZED VIEW mv_tree AS SELECT parent, count(*) AS n FROM tree GROUP BY parent;
CREATE VIEW v_dep AS SELECT parent, n FROM mv_tree;
CREATE FUNCTION child_count(n node) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM node c WHERE c.parent = n.id';
CREATE VIEW v_fn AS SELECT n.id, child_count(n) AS c FROM node n;
CREATE FUNCTION by_path(path text) RETURNS SETOF node LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY SELECT * FROM node n WHERE n.path LIKE by_path.path || '%' ORDER BY n.ord; END $$;
CREATE INDEX node_path_ix ON node (lower(path) text_pattern_ops) WHERE ord >= 0;
CREATE TABLE ord (ord int, node int REFERENCES node);
COMMENT ON COLUMN node.parent IS '상위식별자'; COMMENT ON COLUMN node.ord IS '정렬순서';
INSERT INTO node (id, parent, path) VALUES (1, NULL, '/a'), (2, 1, '/a/b');
