--- pivot-with-values
PIVOT dash_ipbes ON ipbes_pressure IN ('pollution', 'climate change') USING sum(value)
-- = {"pollution":25.5,"climate change":18.25}
--- pivot-grouped
PIVOT fold_risks ON commodity IN ('soy', 'beef') USING count(*) AS n GROUP BY risk ORDER BY risk
-- = {"risk":"deforestation","soy_n":3,"beef_n":3}
-- = {"risk":"soil loss","soy_n":3,"beef_n":3}
-- = {"risk":"water stress","soy_n":3,"beef_n":3}
--- pivot-two-aggregates
PIVOT (SELECT risk, value FROM fold_risks) ON risk IN ('soil loss') USING sum(value) AS total, max(value) AS most
-- = {"soil loss_total":2775,"soil loss_most":437.5}
--- pivot-two-columns
PIVOT fold_risks ON commodity IN ('soy'), risk IN ('soil loss', 'deforestation') USING count(*)
--- pivot-of-an-expression
PIVOT (SELECT value > 15 AS large, value FROM dash_ipbes) ON large IN (true, false) USING count(*)
--- standard-pivot
SELECT * FROM (SELECT risk, commodity, value FROM fold_risks) PIVOT (sum(value) FOR commodity IN ('soy' AS s, 'beef' AS b)) ORDER BY risk
-- = {"risk":"deforestation","s":450,"b":562.5}
-- = {"risk":"soil loss","s":750,"b":862.5}
-- = {"risk":"water stress","s":600,"b":712.5}
--- standard-pivot-grouped
FROM fold_risks PIVOT (count(*) AS n FOR risk IN ('soil loss') GROUP BY commodity) ORDER BY commodity LIMIT 1
-- = {"commodity":"beef","soil loss_n":3}
--- pivot-in-with
WITH p AS (PIVOT fold_risks ON risk IN ('soil loss', 'water stress') USING sum(value)) SELECT "soil loss" - "water stress" AS d FROM (SELECT sum("soil loss") AS "soil loss", sum("water stress") AS "water stress" FROM p)
-- = {"d":150}
--- pivot-by-filter
SELECT sum(value) FILTER (WHERE risk = 'soil loss') AS soil, sum(value) FILTER (WHERE risk = 'water stress') AS water FROM fold_risks
-- = {"soil":2775,"water":2625}
--- unpivot
UNPIVOT (SELECT 1 AS jan, 2 AS feb) ON jan, feb INTO NAME month VALUE amount
-- = {"month":"jan","amount":1}
-- = {"month":"feb","amount":2}
--- unpivot-all-but
FROM (UNPIVOT (SELECT 'x' AS k, 1 AS a, 2 AS b) ON COLUMNS(* EXCLUDE (k))) ORDER BY name
-- = {"k":"x","name":"a","value":1}
-- = {"k":"x","name":"b","value":2}
--- unpivot-in-pairs
UNPIVOT (SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d) ON (a, b), (c, d) INTO NAME pair VALUE first, second
--- unpivot-with-nulls
SELECT * FROM (SELECT 1 AS a, NULL::INTEGER AS b) UNPIVOT INCLUDE NULLS (v FOR n IN (a, b))
-- = {"n":"a","v":1}
-- = {"n":"b","v":null}
--- unpivot-without-nulls
SELECT * FROM (SELECT 1 AS a, NULL::INTEGER AS b) UNPIVOT (v FOR n IN (a, b))
-- = {"n":"a","v":1}
--- unpivot-renamed
SELECT * FROM (SELECT 1 AS a) UNPIVOT (v FOR n IN (a AS 'first'))
-- = {"n":"first","v":1}
