--- from-first
FROM dash_ipbes ORDER BY value DESC LIMIT 1
-- = {"ipbes_pressure":"land use change","value":41.5}
--- from-first-with-select
FROM dash_ipbes SELECT value WHERE ipbes_pressure = 'pollution' ORDER BY value
-- = {"value":3.5}
-- = {"value":22}
--- select-after-from-group
FROM fold_risks SELECT commodity, count(*) AS n GROUP BY commodity ORDER BY commodity
-- = {"commodity":"beef","n":9}
-- = {"commodity":"cocoa","n":9}
-- = {"commodity":"palm oil","n":9}
-- = {"commodity":"soy","n":9}
--- table-keyword | rows: 2
TABLE fold_totals
--- values-alone
VALUES ('a', 1), ('b', 2)
-- = {"col0":"a","col1":1}
-- = {"col0":"b","col1":2}
--- no-relation
SELECT 1 + 1 AS two, 'x' || 'y' AS xy, NULL AS nothing, true AS yes
-- = {"two":2,"xy":"xy","nothing":null,"yes":true}
--- semicolon
SELECT 1 AS a;
-- = {"a":1}
--- semicolons-and-blanks
SELECT 1 AS a ; ;  ;
-- = {"a":1}
--- semicolon-and-comments
SELECT 1 AS a; -- the end; really
/* and; more */
-- = {"a":1}
--- comment-without-end-of-line
SELECT 1 AS a --
-- = {"a":1}
--- comments-everywhere
/* first */ SELECT -- columns
  1 /* one /* nested; */ */ AS a, -- ; not the end
  2 AS b
-- FROM nowhere
-- = {"a":1,"b":2}
--- comments-as-headings
/*⟦200|*⟧
 * A heading
 ⟦200|=⟧*/
-- ⟦150|-⟧
SELECT '⟦300|=⟧' <> '⟦300|+-⟧' AS a -- ⟦150|=⟧
-- = {"a":true}
--- many-comments
SELECT 1⟦300| /* x */⟧⟦20|/**/⟧ AS a
-- = {"a":1}
--- signs-in-a-row
SELECT - + - - 1 AS a, -(-(+1)) AS b, 1 --⟦10|+-⟧
  AS c, 2--3
  AS d
-- = {"a":-1,"b":1,"c":1,"d":2}
--- drop-table-in-a-string
SELECT 'DROP TABLE fold_risks; --' AS text, $$DELETE FROM x; 'quoted'$$ AS dollars, E'a\';b' AS escaped
-- = {"text":"DROP TABLE fold_risks; --","dollars":"DELETE FROM x; 'quoted'","escaped":"a';b"}
--- tagged-dollar-quotes
SELECT $body$ a $$ b; $other$ c $body$ AS text
-- = {"text":" a $$ b; $other$ c "}
--- names-of-statements-as-names
SELECT value AS "insert", ipbes_pressure AS "drop table", 1 AS "select; --" FROM dash_ipbes ORDER BY value LIMIT 1
-- = {"insert":3.5,"drop table":"pollution","select; --":1}
--- names-of-functions-as-columns
SELECT read_csv AS version, getenv AS stats FROM (SELECT 1 AS read_csv, 2 AS getenv)
-- = {"version":1,"stats":2}
--- star-exclude
SELECT * EXCLUDE (value) FROM dash_ipbes WHERE value > 40
-- = {"ipbes_pressure":"land use change"}
--- star-replace
SELECT * REPLACE (round(value) AS value) FROM dash_ipbes WHERE value > 40
-- = {"ipbes_pressure":"land use change","value":42}
--- star-rename
SELECT * RENAME (ipbes_pressure AS driver) FROM dash_ipbes WHERE value > 40
-- = {"driver":"land use change","value":41.5}
--- star-exclude-qualified
SELECT * EXCLUDE (a.value) FROM dash_ipbes a WHERE a.value > 40
-- = {"ipbes_pressure":"land use change"}
--- star-like | rows: 6
SELECT * LIKE '%press%' FROM dash_ipbes
--- star-similar-to | rows: 36
SELECT * SIMILAR TO '.*_id|score' FROM fold_risks
--- qualified-star
SELECT d.*, r.n FROM dash_ipbes d CROSS JOIN (SELECT 7 AS n) r WHERE d.value > 40
-- = {"ipbes_pressure":"land use change","value":41.5,"n":7}
--- columns-by-regexp | rows: 6
SELECT COLUMNS('^(value|ipbes.*)$') FROM dash_ipbes
--- columns-by-lambda
SELECT max(COLUMNS(c -> c LIKE 'v%')) AS top FROM dash_ipbes
-- = {"top":41.5}
--- columns-renamed
SELECT min(COLUMNS('(value)')) AS 'least_\1' FROM dash_ipbes
-- = {"least_value":3.5}
--- columns-unpacked
SELECT coalesce(*COLUMNS(['value'])) AS v FROM dash_ipbes ORDER BY v LIMIT 1
-- = {"v":3.5}
--- distinct | rows: 5
SELECT DISTINCT ipbes_pressure FROM dash_ipbes
--- distinct-on
SELECT DISTINCT ON (ipbes_pressure) ipbes_pressure, value FROM dash_ipbes ORDER BY ipbes_pressure, value DESC LIMIT 2
-- = {"ipbes_pressure":"climate change","value":18.25}
-- = {"ipbes_pressure":"invasive species","value":6.25}
--- order-by-all | rows: 6
SELECT * FROM dash_ipbes ORDER BY ALL DESC
--- order-by-position-and-expression
SELECT value FROM dash_ipbes ORDER BY 1 DESC, value + 1 NULLS FIRST LIMIT 2
-- = {"value":41.5}
-- = {"value":22}
--- order-by-alias
SELECT value * 2 AS twice FROM dash_ipbes ORDER BY twice LIMIT 1
-- = {"twice":7}
--- nulls-last
SELECT biome FROM fold_risks GROUP BY biome ORDER BY biome DESC NULLS LAST
-- = {"biome":"wetland"}
-- = {"biome":"tropical forest"}
-- = {"biome":"temperate forest"}
-- = {"biome":"savanna"}
-- = {"biome":null}
--- limit-offset
SELECT value FROM dash_ipbes ORDER BY value LIMIT 2 OFFSET 1
-- = {"value":6.25}
-- = {"value":12}
--- limit-expression
SELECT value FROM dash_ipbes ORDER BY value LIMIT 1 + 1
-- = {"value":3.5}
-- = {"value":6.25}
--- limit-by-subquery
SELECT value FROM dash_ipbes ORDER BY value LIMIT (SELECT count(*) - 5 FROM dash_ipbes)
-- = {"value":3.5}
--- limit-percent
SELECT value FROM dash_ipbes ORDER BY value LIMIT 50%
-- = {"value":3.5}
-- = {"value":6.25}
-- = {"value":12}
--- fetch-first
SELECT value FROM dash_ipbes ORDER BY value FETCH FIRST 1 ROW ONLY
-- = {"value":3.5}
--- offset-before-limit
SELECT value FROM dash_ipbes ORDER BY value OFFSET 5 LIMIT 3
-- = {"value":41.5}
--- limit-on-parentheses
(SELECT value FROM dash_ipbes ORDER BY value) LIMIT 1
-- = {"value":3.5}
--- prefix-alias
SELECT driver: ipbes_pressure, twice: value * 2 FROM d: dash_ipbes WHERE d.value > 40
-- = {"driver":"land use change","twice":83}
--- alias-reuse
SELECT value AS v, v * 2 AS w, w + 1 AS x FROM dash_ipbes WHERE w > 80
-- = {"v":41.5,"w":83,"x":84}
--- alias-in-group-by
SELECT value > 15 AS large, count(*) AS n FROM dash_ipbes GROUP BY large ORDER BY large
-- = {"large":false,"n":3}
-- = {"large":true,"n":3}
--- trailing-comma | rows: 6
SELECT ipbes_pressure, value, FROM dash_ipbes
--- case-forms
SELECT CASE WHEN value > 20 THEN 'high' WHEN value > 10 THEN 'middle' ELSE 'low' END AS level,
  CASE ipbes_pressure WHEN 'pollution' THEN 1 END AS p
FROM dash_ipbes ORDER BY value DESC LIMIT 2
-- = {"level":"high","p":null}
-- = {"level":"high","p":1}
--- if-and-coalesce
SELECT if(1 < 2, 'a', 'b') AS a, ifnull(NULL, 'c') AS c, coalesce(NULL, NULL, 3) AS d, nullif(1, 1) AS e, greatest(1, 3, 2) AS f, least(4, 2) AS g
-- = {"a":"a","c":"c","d":3,"e":null,"f":3,"g":2}
--- between-in-is
SELECT 5 BETWEEN 1 AND 10 AS a, 5 NOT BETWEEN 1 AND 10 AS b, 2 IN (1, 2) AS c, 2 NOT IN (1, 2) AS d, NULL IS NULL AS e, 1 IS NOT NULL AS f, NULL IS DISTINCT FROM 1 AS g, (1 > 2) IS FALSE AS h
-- = {"a":true,"b":false,"c":true,"d":false,"e":true,"f":true,"g":true,"h":true}
--- row-comparison
SELECT (1, 2) < (1, 3) AS less, (1, 'a') = (1, 'a') AS same, (1, 2) IN ((1, 2), (3, 4)) AS one_of
-- = {"less":true,"same":true,"one_of":true}
--- operators
SELECT 7 % 3 AS m, 7 // 2 AS d, 2 ** 10 AS p, 2 ^ 3 AS q, 5 & 3 AS a, 5 | 3 AS o, xor(5, 3) AS x, ~5 AS n, 1 << 4 AS l, 16 >> 2 AS r, @(-3) AS ab, 4! AS f
-- = {"m":1,"d":3,"p":1024,"q":8,"a":1,"o":7,"x":6,"n":-6,"l":16,"r":4,"ab":3,"f":24}
--- sample | rows: 5
SELECT * FROM fold_risks USING SAMPLE 5 ROWS
--- sample-repeatable | rows: 4
SELECT row_id FROM risk_rows USING SAMPLE reservoir(4 ROWS) REPEATABLE (7)
--- table-sample
SELECT count(*) >= 0 AS ok FROM risk_rows TABLESAMPLE system(20 PERCENT)
-- = {"ok":true}
--- range-in-from
SELECT sum(i) AS total FROM range(1, 101) t(i)
-- = {"total":5050}
--- series-in-from
SELECT * FROM generate_series(1, 9, 4) s(n)
-- = {"n":1}
-- = {"n":5}
-- = {"n":9}
--- series-of-a-value
SELECT x, n FROM (VALUES ('a', 2), ('b', 1)) v(x, k), range(k) r(n) ORDER BY x, n
-- = {"x":"a","n":0}
-- = {"x":"a","n":1}
-- = {"x":"b","n":0}
--- with-ordinality
SELECT * FROM unnest(['x', 'y']) WITH ORDINALITY AS t(letter, place)
-- = {"letter":"x","place":1}
-- = {"letter":"y","place":2}
--- positional-reference
SELECT value AS v FROM dash_ipbes ORDER BY #1 LIMIT 1
-- = {"v":3.5}
--- struct-of-a-row
SELECT d.value FROM (SELECT dash_ipbes AS d FROM dash_ipbes WHERE value > 40)
-- = {"value":41.5}
--- unicode-blanks
SELECT⟦U+00A0⟧1⟦U+2003⟧AS⟦U+3000⟧a
-- = {"a":1}
--- crlf-lines
SELECT 1 AS a,⟦U+000D⟧
  2 AS b -- c⟦U+000D⟧
-- = {"a":1,"b":2}
--- emoji
SELECT '🌳🐝' AS "🌍", length('🌳🐝') AS n
-- = {"🌍":"🌳🐝","n":2}
--- thousand-values
SELECT count(*) AS n FROM (VALUES ⟦1..999|({i}), ⟧(1000)) t(i)
-- = {"n":1000}
--- wide
SELECT ⟦1..400|{i} AS c{i}, ⟧0 AS last
--- long-text
SELECT length('⟦20000|x⟧') AS n
-- = {"n":20000}
--- try
SELECT try(CAST('x' AS INTEGER)) AS a, try_cast('y' AS INTEGER) AS b
-- = {"a":null,"b":null}
--- constant-of-the-session
SELECT current_user AS u, session_user AS s, user AS v
-- = {"u":"duckdb","s":"duckdb","v":"duckdb"}
--- clock
SELECT now() > TIMESTAMP '2020-01-01' AS a, current_date > DATE '2020-01-01' AS b, today() = current_date AS c, current_timestamp IS NOT NULL AS d, localtime IS NOT NULL AS e
-- = {"a":true,"b":true,"c":true,"d":true,"e":true}
--- random
SELECT random() < 1 AS a, length(uuid()::VARCHAR) AS b, gen_random_uuid() IS NOT NULL AS c
-- = {"a":true,"b":36,"c":true}
