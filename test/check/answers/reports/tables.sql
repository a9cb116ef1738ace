-- Tables of the reports. `numbers` and `events` have several row groups of 122 880 rows.
CREATE TABLE numbers AS
  SELECT i AS id, (i * 7919) % 300000 AS k, i % 13 AS g, CASE WHEN i % 3 = 0 THEN NULL ELSE i % 7 END AS n
  FROM range(300000) r(i) ORDER BY i;
CREATE TABLE few AS SELECT i AS id, i % 13 AS g FROM range(7000) r(i) ORDER BY i;
CREATE TABLE accounts AS SELECT i AS id, 'acc' || i AS name FROM range(13) r(i) ORDER BY i;
CREATE TABLE transfers AS SELECT i AS id, i AS src, i + 1 AS dst FROM range(8) r(i) ORDER BY i;
CREATE TABLE events AS
  SELECT i AS id, CASE WHEN i = 122879 THEN 'failed' ELSE 'done' END AS state FROM range(122881) r(i) ORDER BY i;
CREATE TABLE posts AS
  SELECT * FROM (VALUES (1, 100, 10), (2, 150, 20), (3, NULL, 5), (4, 20, NULL), (5, 5, 30)) v(id, views, likes);
CREATE TABLE left_side AS SELECT * FROM (VALUES (1, NULL, 'x'), (2, 2, 'y'), (3, 3, 'p'), (4, NULL, NULL)) v(id, n, s);
CREATE TABLE right_side AS SELECT * FROM (VALUES (2, 2, 'p'), (3, 99, 'q'), (4, NULL, NULL)) v(id, n, s);
CREATE TABLE pairs AS SELECT * FROM (VALUES (1, 1), (2, 2), (3, NULL), (NULL, 4)) v(i, j);
CREATE TABLE some_pairs AS SELECT * FROM (VALUES (1, 1), (NULL, 4)) v(i, j);
CREATE TABLE sizes AS SELECT * FROM (VALUES (1), (5), (100), (128), (300), (NULL)) v(x);
CREATE TABLE prices AS SELECT x::DECIMAL(9,2) AS x FROM (VALUES (1.5), (127.4), (300.01), (99999.99)) v(x);
CREATE TABLE moments AS
  SELECT * FROM (VALUES (1, TIMESTAMPTZ '2024-01-01 00:00:00+00'), (2, NULL)) v(id, z);
CREATE TABLE tags AS SELECT * FROM (VALUES (1, 'a'), (1, 'b'), (2, 'a'), (3, NULL)) v(id, tag);
CREATE TABLE tracks AS SELECT i AS id, 'track ' || i AS name, (99 + 100 * (i % 2)) AS price FROM range(3503) r(i) ORDER BY i;
CREATE TABLE digests AS SELECT i AS id, ('a digest of some length ' || i % 7)::BLOB AS d FROM range(7000) r(i) ORDER BY i;
CREATE TABLE days AS
  SELECT * FROM (VALUES (1, TIMESTAMP '2024-01-15 10:00:00'), (2, NULL), (3, TIMESTAMP '2024-02-01 00:00:00')) v(id, t);
CREATE TABLE flags AS SELECT * FROM (VALUES (1, NULL), (2, true), (3, false)) v(id, c);
CREATE TABLE shares AS SELECT * FROM (VALUES (1, 1, 1), (2, 1, NULL), (3, NULL, NULL), (4, 1, 2)) v(id, a, b);
