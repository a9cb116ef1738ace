--- scalar
SELECT ipbes_pressure FROM dash_ipbes WHERE value = (SELECT max(value) FROM dash_ipbes)
-- = {"ipbes_pressure":"land use change"}
--- scalar-in-select
SELECT value - (SELECT avg(value) FROM dash_ipbes) AS above FROM dash_ipbes ORDER BY 1 DESC LIMIT 1
-- = {"above":24.25}
--- in-subquery
SELECT count(*) AS n FROM dash_ipbes WHERE ipbes_pressure IN (SELECT ipbes_pressure FROM dash_ipbes GROUP BY 1 HAVING count(*) > 1)
-- = {"n":2}
--- not-exists
SELECT count(*) AS n FROM range(5) a(i) WHERE NOT EXISTS (SELECT 1 FROM range(3) b(i) WHERE b.i = a.i)
-- = {"n":2}
--- any-and-all
SELECT 3 > ANY (SELECT i FROM range(5) t(i)) AS a, 3 > ALL (SELECT i FROM range(3) t(i)) AS b, 2 = ANY ([1, 2]) AS c
-- = {"a":true,"b":true,"c":true}
--- correlated
SELECT a.i, (SELECT count(*) FROM range(5) b(i) WHERE b.i > a.i) AS above FROM range(2) a(i) ORDER BY 1
-- = {"i":0,"above":4}
-- = {"i":1,"above":3}
--- correlated-twice
SELECT count(*) AS n FROM dash_ipbes a WHERE value > (SELECT avg(value) FROM dash_ipbes b WHERE b.value <> a.value AND EXISTS (SELECT 1 FROM dash_ipbes c WHERE c.ipbes_pressure = a.ipbes_pressure))
-- = {"n":3}
--- correlated-over-two-scopes
SELECT i, (SELECT (SELECT i + j FROM (SELECT 1 AS one)) FROM (SELECT 10 AS j)) AS s FROM range(2) t(i) ORDER BY i
-- = {"i":0,"s":10}
-- = {"i":1,"s":11}
--- array-of-a-subquery
SELECT ARRAY(SELECT i FROM range(3) t(i) ORDER BY i DESC) AS l
-- = {"l":[2,1,0]}
--- row-in-subquery
SELECT count(*) AS n FROM fold_risks WHERE (risk, commodity) IN (SELECT risk, commodity FROM fold_risks WHERE value = 0)
-- = {"n":3}
--- in-order-by-and-limit
SELECT i FROM range(3) t(i) ORDER BY (SELECT -i) LIMIT (SELECT 1)
-- = {"i":2}
--- in-case-and-having
SELECT biome, CASE WHEN (SELECT true) THEN count(*) END AS n FROM fold_risks GROUP BY biome HAVING count(*) > (SELECT 7)
-- = {"biome":"temperate forest","n":8}
--- union
SELECT 1 AS x UNION SELECT 1 UNION ALL SELECT 2 ORDER BY x
-- = {"x":1}
-- = {"x":2}
--- union-all-many
SELECT sum(x) AS s FROM (SELECT 1 AS x⟦39| UNION ALL SELECT 1⟧)
-- = {"s":40}
--- union-by-name
SELECT 1 AS a, 2 AS b UNION ALL BY NAME SELECT 3 AS b, 4 AS c ORDER BY b
-- = {"a":1,"b":2,"c":null}
-- = {"a":null,"b":3,"c":4}
--- except-and-intersect
(SELECT i FROM range(4) t(i) EXCEPT SELECT 2) INTERSECT SELECT * FROM (VALUES (2), (3)) v ORDER BY 1
-- = {"i":3}
--- except-all
SELECT * FROM (VALUES (1), (1), (2)) t(x) EXCEPT ALL SELECT 1 ORDER BY x
-- = {"x":1}
-- = {"x":2}
--- order-of-a-set
(SELECT value FROM dash_ipbes ORDER BY value DESC LIMIT 1) UNION ALL (SELECT value FROM dash_ipbes ORDER BY value LIMIT 1) ORDER BY value
-- = {"value":3.5}
-- = {"value":41.5}
--- set-of-values-and-table
VALUES ('x', 1.0) UNION ALL TABLE dash_ipbes ORDER BY 2 LIMIT 1
-- = {"col0":"x","col1":1}
--- set-with-nulls
SELECT NULL AS x INTERSECT SELECT NULL
-- = {"x":null}
--- nested-from
SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT 1 AS deep)))
-- = {"deep":1}
--- eight-subqueries-deep
SELECT (SELECT (SELECT (SELECT (SELECT (SELECT (SELECT (SELECT (SELECT 1)))))))) AS x
-- = {"x":1}
--- subquery-names-itself-not
SELECT x FROM (SELECT 1 AS x) AS fold_pressures
-- = {"x":1}
--- rows-in-a-subquery-beside-others
SELECT count(*) AS n FROM fold_risks WHERE value > 1e9 OR ((risk, commodity) IN (SELECT risk, commodity FROM fold_risks) AND value IS NOT NULL)
--- rows-in-a-subquery-that-decide-a-case
SELECT sum(CASE WHEN (risk, commodity) IN (SELECT risk, commodity FROM fold_risks) THEN 1 ELSE 0 END) AS n FROM fold_risks
