--- chain
WITH a AS (SELECT value FROM dash_ipbes WHERE value > 10), b AS (SELECT value FROM a WHERE value < 30) SELECT count(*) AS n FROM b
-- = {"n":3}
--- columns-named
WITH t(x, y) AS (VALUES (1, 2), (3, 4)) SELECT x + y AS s FROM t ORDER BY s
-- = {"s":3}
-- = {"s":7}
--- used-twice
WITH t AS (SELECT sum(value) AS total FROM dash_ipbes) SELECT a.total - b.total AS zero FROM t a, t b
-- = {"zero":0}
--- unused
WITH t AS (SELECT * FROM fold_risks) SELECT 1 AS a
-- = {"a":1}
--- materialized
WITH t AS MATERIALIZED (SELECT 1 AS a), u AS NOT MATERIALIZED (SELECT a FROM t) SELECT * FROM u
-- = {"a":1}
--- named-like-a-relation
WITH fold_risks AS (SELECT 7 AS x) SELECT x FROM fold_risks
-- = {"x":7}
--- named-like-a-relation-it-reads
WITH dash_ipbes AS (SELECT value FROM dash_ipbes WHERE value > 40) SELECT * FROM dash_ipbes
-- = {"value":41.5}
--- named-like-an-engine-table
WITH sqlite_master AS (SELECT 1 AS x), duckdb_tables AS (SELECT 2 AS y) SELECT x, y FROM sqlite_master, duckdb_tables
-- = {"x":1,"y":2}
--- named-like-a-file
WITH "data.csv" AS (SELECT 1 AS x) SELECT * FROM 'data.csv'
-- = {"x":1}
--- case-of-names
WITH Totals AS (SELECT 1 AS x) SELECT * FROM TOTALS, "totals" t
-- = {"x":1,"x_1":1}
--- shadowed-inside
WITH t AS (SELECT 1 AS x) SELECT * FROM (WITH t AS (SELECT 2 AS x) SELECT * FROM t) UNION ALL SELECT * FROM t ORDER BY x
-- = {"x":1}
-- = {"x":2}
--- inner-reads-outer-of-its-name
WITH t AS (SELECT 1 AS x) SELECT * FROM (WITH t AS (SELECT x + 1 AS x FROM t) SELECT * FROM t)
-- = {"x":2}
--- in-a-subquery
SELECT (WITH t AS (SELECT max(value) AS m FROM dash_ipbes) SELECT m FROM t) AS most
-- = {"most":41.5}
--- in-an-arm
(WITH t AS (SELECT 1 AS x) SELECT x FROM t) UNION ALL (WITH t AS (SELECT 2 AS x) SELECT x FROM t) ORDER BY x
-- = {"x":1}
-- = {"x":2}
--- covers-both-arms
WITH t AS (SELECT 1 AS x) SELECT x FROM t UNION ALL SELECT x + 1 FROM t ORDER BY x
-- = {"x":1}
-- = {"x":2}
--- in-a-lateral
WITH t AS (SELECT 3 AS k) SELECT v.x, l.y FROM (VALUES (1)) v(x), LATERAL (SELECT v.x + k AS y FROM t) l
-- = {"x":1,"y":4}
--- in-exists
WITH big AS (SELECT ipbes_pressure FROM dash_ipbes WHERE value > 20) SELECT count(*) AS n FROM dash_ipbes d WHERE EXISTS (SELECT 1 FROM big WHERE big.ipbes_pressure = d.ipbes_pressure)
-- = {"n":3}
--- with-of-values-and-table
WITH a AS (VALUES (1)), b AS (TABLE dash_ipbes), c AS (FROM b WHERE value > 40) SELECT col0, value FROM a, c
-- = {"col0":1,"value":41.5}
--- unicode-names
WITH "été" AS (SELECT 1 AS "größe"), "表" AS (SELECT 2 AS "列") SELECT "größe", "列" FROM "été", "表"
-- = {"größe":1,"列":2}
--- long-s-is-its-own-name
WITH "ſales" AS (SELECT 1 AS x), sales AS (SELECT 2 AS x) SELECT a.x AS a, b.x AS b FROM "ſales" a, sales b
-- = {"a":1,"b":2}
--- recursive-count
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n) AS s FROM t
-- = {"s":15}
--- recursive-union-distinct
WITH RECURSIVE t(n) AS (SELECT 0 UNION SELECT (n + 2) % 6 FROM t) SELECT list(n ORDER BY n) AS all_n FROM t
-- = {"all_n":[0,2,4]}
--- recursive-tree
WITH RECURSIVE edges(child, parent) AS (VALUES ('b', 'a'), ('c', 'b'), ('d', 'b'), ('e', 'x')),
  tree(node, depth) AS (SELECT 'a', 0 UNION ALL SELECT child, depth + 1 FROM edges JOIN tree ON parent = node)
SELECT node, depth FROM tree ORDER BY node
-- = {"node":"a","depth":0}
-- = {"node":"b","depth":1}
-- = {"node":"c","depth":2}
-- = {"node":"d","depth":2}
--- recursive-path
WITH RECURSIVE p(n, path) AS (SELECT 1, [1] UNION ALL SELECT n * 2, list_append(path, n * 2) FROM p WHERE n < 8) SELECT path FROM p ORDER BY n DESC LIMIT 1
-- = {"path":[1,2,4,8]}
--- recursive-fibonacci
WITH RECURSIVE f(a, b) AS (SELECT 0, 1 UNION ALL SELECT b, a + b FROM f WHERE b < 20) SELECT list(a) AS fib FROM f
-- = {"fib":[0,1,1,2,3,5,8,13]}
--- recursive-with-inner-with
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL (WITH step AS (SELECT n + 1 AS n FROM t) SELECT n FROM step WHERE n <= 3)) SELECT count(*) AS c FROM t
-- = {"c":3}
--- recursive-not-recursive
WITH RECURSIVE a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS x FROM a) SELECT * FROM b
-- = {"x":2}
--- recursive-over-a-relation
WITH RECURSIVE months(d) AS (SELECT min(assessed_on) FROM fold_risks UNION ALL SELECT (d + INTERVAL 1 MONTH)::DATE FROM months WHERE d < DATE '2025-03-01') SELECT count(*) AS n FROM months
-- = {"n":3}
--- recursive-using-key
WITH RECURSIVE t(k, v) USING KEY (k) AS (SELECT 1, 1 UNION SELECT k, v + 1 FROM t WHERE v < 5) SELECT k, v FROM t
-- = {"k":1,"v":5}
--- recursive-recurring
WITH RECURSIVE t(k, v) USING KEY (k) AS (SELECT 1, 1 UNION SELECT t.k, r.v + 1 FROM t JOIN recurring.t AS r USING (k) WHERE t.v < 3) SELECT k, v FROM t
-- = {"k":1,"v":3}
--- recursive-shadows-a-relation
WITH RECURSIVE fold_risks(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM fold_risks WHERE n < 3) SELECT max(n) AS m FROM fold_risks
-- = {"m":3}
--- ownership-shares
WITH RECURSIVE walk(entity_key, share) AS (
  SELECT entity_key, 1.0::DOUBLE FROM entities WHERE parent_key IS NULL
  UNION ALL
  SELECT e.entity_key, walk.share * e.ownership_share FROM walk JOIN entities e ON e.parent_key = walk.entity_key
)
SELECT entity_key, sum(share) AS share FROM walk GROUP BY entity_key ORDER BY entity_key
-- = {"entity_key":"group","share":1}
-- = {"entity_key":"half","share":0.5}
-- = {"entity_key":"joint","share":0.5}
-- = {"entity_key":"leaf","share":0.4}
--- thirty-of-them
WITH t0 AS (SELECT 1 AS x)⟦1..30|, t{i} AS (SELECT x + 1 AS x FROM t{i-1})⟧ SELECT x FROM t30
-- = {"x":31}
--- with-of-a-subquery
SELECT (WITH a AS (SELECT max(value) AS v FROM dash_ipbes), b AS (SELECT v FROM a) SELECT v FROM b) > 0 AS positive
-- = {"positive":true}
--- with-read-by-subqueries
WITH a AS (SELECT value AS v FROM dash_ipbes) SELECT count(*) > 0 AS some FROM a WHERE v >= (SELECT avg(v) FROM a WHERE v IN (SELECT v FROM a))
-- = {"some":true}
