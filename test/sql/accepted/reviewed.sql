--- ok-02 | GROUP BY ALL, ORDER BY ALL
SELECT pressure_indicator, unit, sum(net) AS net FROM fold_pressures WHERE biome = 'savanna' AND scope = 1 GROUP BY ALL ORDER BY ALL
--- ok-03 | case-insensitive name
select * from FOLD_RISKS
--- ok-05 | trailing semicolon
SELECT value FROM dash_ipbes;
--- ok-07 | trailing semicolon and comment
SELECT value FROM dash_ipbes; -- done
--- ok-08 | comments
-- first line
SELECT /* inner /* nested */ comment */ value -- end
FROM dash_ipbes
--- ok-10 | dangerous words in literals
SELECT 'DROP TABLE fold_risks; DELETE FROM risk_rows' AS t, ';' AS s, '--' AS c, '/*' AS d
--- ok-103 | IS NULL
SELECT count(*) AS n FROM fold_risks WHERE biome IS NULL
--- ok-106 | ordered list aggregate, slice
SELECT list(struct_pack(e := entity, s := score) ORDER BY score DESC)[:3] AS top FROM fold_risks
--- ok-110 | output names that are special in JS: all four must come back as own keys (getRowObjectsJson loses __proto__)
SELECT value AS "__proto__", ipbes_pressure AS "hasOwnProperty", 1 AS "toJSON", 2 AS "constructor" FROM dash_ipbes
--- ok-112 | unnest of a small literal range
SELECT unnest([1, 2, 3]) AS x, unnest(range(3)) AS y
--- ok-13 | dangerous words in an alias
SELECT ipbes_pressure AS "DROP TABLE x; --" FROM dash_ipbes
--- ok-15 | unicode CTE and column
WITH "été" AS (SELECT value AS "süß" FROM dash_ipbes) SELECT "süß" FROM "été"
--- ok-17 | FROM-first
FROM dash_ipbes
--- ok-18 | FROM-first with SELECT
FROM dash_ipbes SELECT ipbes_pressure WHERE value > 10 ORDER BY 1
--- ok-19 | TABLE x
TABLE dash_ipbes
--- ok-20 | VALUES at the top (a SELECT in the AST); refuse it if the contract is read strictly
VALUES (1, 'a'), (2, 'b')
--- ok-21 | no relation
SELECT 1 AS one, 'x' AS x
--- ok-23 | EXCEPT
SELECT biome FROM fold_pressures EXCEPT SELECT biome FROM fold_risks
--- ok-24 | INTERSECT ALL
SELECT biome FROM fold_pressures INTERSECT ALL SELECT biome FROM fold_risks
--- ok-32 | MATERIALIZED hints
WITH t AS MATERIALIZED (SELECT * FROM dash_ipbes), u AS NOT MATERIALIZED (SELECT * FROM t) SELECT count(*) AS n FROM t, u
--- ok-33 | recursive CTE
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 10) SELECT n, value FROM t JOIN dash_ipbes ON value > n * 4 ORDER BY 1, 2
--- ok-35 | recursive CTE with USING KEY
WITH RECURSIVE t(k, v) USING KEY (k) AS (SELECT 1, 1 UNION SELECT k, v + 1 FROM t WHERE v < 5) SELECT * FROM t
--- ok-37 | window, QUALIFY
SELECT entity_id, risk, score, rank() OVER (PARTITION BY risk ORDER BY score DESC, row_id) AS r FROM risk_rows QUALIFY r <= 2 ORDER BY risk, r
--- ok-38 | named window with frame
SELECT measured_at, avg(score) OVER w AS moving, lag(score, 1, 0.0) OVER w AS prev, first_value(score IGNORE NULLS) OVER w AS f FROM risk_rows WINDOW w AS (PARTITION BY entity_id ORDER BY measured_at ROWS BETWEEN 3 PRECEDING AND CURRENT ROW EXCLUDE TIES) ORDER BY 1 LIMIT 10
--- ok-39 | GROUPING SETS
SELECT biome, scope, sum(net) AS n, grouping(biome, scope) AS g FROM fold_pressures GROUP BY GROUPING SETS ((biome, scope), (biome), ()) ORDER BY ALL
--- ok-40 | CUBE, HAVING
SELECT biome, unit, count(*) AS n FROM fold_pressures GROUP BY CUBE (biome, unit) HAVING count(*) > 1 ORDER BY ALL
--- ok-42 | correlated subquery
SELECT f.entity, (SELECT count(*) FROM risk_rows r WHERE r.entity_id = f.entity_id AND r.score > f.score) AS worse FROM fold_risks f ORDER BY 1, 2
--- ok-49 | range() in FROM
SELECT i, coalesce(sum(value), 0) AS v FROM range(0, 50, 10) t(i) LEFT JOIN dash_ipbes ON value >= i AND value < i + 10 GROUP BY i ORDER BY i
--- ok-53 | PIVOT statement with an IN list (stays one SELECT in the AST)
PIVOT fold_pressures ON scope IN (1, 2, 3) USING sum(net) AS n GROUP BY unit
--- ok-56 | UNPIVOT with COLUMNS
FROM (UNPIVOT (SELECT entity, score, value FROM fold_risks LIMIT 3) ON COLUMNS(* EXCLUDE entity) INTO NAME measure VALUE amount)
--- ok-59 | COLUMNS(* EXCLUDE)
SELECT min(COLUMNS(* EXCLUDE (entity_id))), 1 AS k FROM fold_dependencies
--- ok-66 | json_each in FROM
SELECT key, value, count(*) AS n FROM risk_rows, json_each(meta) WHERE key = 'source' GROUP BY ALL ORDER BY ALL
--- ok-71 | TABLESAMPLE
SELECT count(*) AS n FROM risk_rows TABLESAMPLE bernoulli(50%)
--- ok-73 | POSITIONAL JOIN
SELECT * FROM (SELECT value FROM dash_ipbes ORDER BY value) a POSITIONAL JOIN (SELECT net FROM fold_pressures ORDER BY net LIMIT 6) b
--- ok-74 | ANTI JOIN
SELECT f.entity FROM fold_risks f ANTI JOIN fold_dependencies d USING (entity_id) GROUP BY 1 ORDER BY 1
--- ok-76 | FULL OUTER JOIN USING
SELECT * FROM (SELECT entity_id, sum(score) AS s FROM risk_rows GROUP BY 1) a FULL OUTER JOIN (SELECT entity_id, sum(value) AS v FROM fold_dependencies GROUP BY 1) b USING (entity_id) ORDER BY 1
--- ok-83 | dates
SELECT extract(year FROM measured_at) AS y, date_trunc('week', measured_at) AS w, measured_at::DATE + INTERVAL 3 DAY AS d, strftime(measured_at, '%Y-%m') AS ym, measured_at AT TIME ZONE 'Europe/Paris' AS tz, age(TIMESTAMP '2026-01-01', measured_at) AS a FROM risk_rows LIMIT 2
--- ok-85 | formatting, method call syntax
SELECT printf('%.2f %s', value, ipbes_pressure) AS p, format('{:,.1f}', value) AS f, lpad(round(value)::VARCHAR, 6, '0') AS l, ipbes_pressure[1:3] AS s, ipbes_pressure.upper() AS u FROM dash_ipbes
--- ok-86 | casts
SELECT value::DECIMAL(10, 2) AS d, value::BIGINT AS i, entity_id::VARCHAR AS u, [score, value]::VARCHAR[] AS l, row(1, 'a')::STRUCT(x INTEGER, y VARCHAR) AS s, 'a'::ENUM('a', 'b') AS e FROM fold_risks LIMIT 2
--- ok-87 | collation, NULLS LAST, OFFSET
SELECT biome COLLATE NOCASE AS b, count(*) AS n FROM fold_pressures GROUP BY 1 ORDER BY 1 COLLATE NOCASE DESC NULLS LAST LIMIT 3 OFFSET 1
--- ok-89 | positional reference
SELECT #1 AS a FROM dash_ipbes ORDER BY #1
--- ok-90 | prefix aliases
SELECT a: value, b: value * 2 FROM dash_ipbes
--- ok-92 | trailing comma
SELECT value, FROM dash_ipbes
--- ok-93 | self joins
SELECT d1.value FROM dash_ipbes d1, dash_ipbes d2, dash_ipbes d3 WHERE d1.value = d2.value AND d2.value = d3.value ORDER BY 1
--- ok-94 | long IN list
SELECT value FROM dash_ipbes WHERE value IN (⟦0..1498|{i}, ⟧1499)
