--- inner-using | rows: 6
SELECT entity_id, count(*) AS n FROM fold_risks JOIN risk_rows USING (entity_id) GROUP BY entity_id
--- left-join
SELECT a.x, b.y FROM (VALUES (1), (2)) a(x) LEFT JOIN (VALUES (1, 'one')) b(x, y) ON a.x = b.x ORDER BY a.x
-- = {"x":1,"y":"one"}
-- = {"x":2,"y":null}
--- right-and-full
SELECT coalesce(a.x, b.x) AS x, a.x IS NULL AS new FROM (VALUES (1), (2)) a(x) FULL OUTER JOIN (VALUES (2), (3)) b(x) ON a.x = b.x ORDER BY 1
-- = {"x":1,"new":false}
-- = {"x":2,"new":false}
-- = {"x":3,"new":true}
--- right-join
SELECT b.x FROM (VALUES (1)) a(x) RIGHT JOIN (VALUES (1), (2)) b(x) USING (x) ORDER BY b.x
-- = {"x":1}
-- = {"x":2}
--- natural
SELECT * FROM (VALUES (1, 'a')) a(k, x) NATURAL JOIN (VALUES (1, 'b')) b(k, y)
-- = {"k":1,"x":"a","y":"b"}
--- cross-and-comma
SELECT count(*) AS n FROM dash_ipbes a CROSS JOIN dash_ipbes b, (VALUES (1), (2)) c(x)
-- = {"n":72}
--- semi-and-anti
SELECT (SELECT count(*) FROM range(5) a(i) SEMI JOIN range(3) b(i) USING (i)) AS semi, (SELECT count(*) FROM range(5) a(i) ANTI JOIN range(3) b(i) USING (i)) AS anti
-- = {"semi":3,"anti":2}
--- entities-without-dependencies
SELECT DISTINCT entity FROM fold_risks f ANTI JOIN fold_dependencies d ON f.entity_id = d.entity_id
-- = {"entity":"Entity 5"}
--- inequality
SELECT count(*) AS n FROM range(10) a(i) JOIN range(10) b(i) ON a.i < b.i
-- = {"n":45}
--- asof
SELECT t.moment, p.price FROM (VALUES (TIMESTAMP '2025-01-01 10:05:00'), (TIMESTAMP '2025-01-01 10:15:00')) t(moment)
ASOF JOIN (VALUES (TIMESTAMP '2025-01-01 10:00:00', 1.5), (TIMESTAMP '2025-01-01 10:10:00', 2.5)) p(since, price) ON t.moment >= p.since ORDER BY t.moment
-- = {"moment":"2025-01-01T10:05:00","price":1.5}
-- = {"moment":"2025-01-01T10:15:00","price":2.5}
--- asof-left
SELECT t.i, p.x FROM range(3) t(i) ASOF LEFT JOIN (VALUES (1, 'a'), (2, 'b')) p(i, x) ON t.i >= p.i ORDER BY t.i
-- = {"i":0,"x":null}
-- = {"i":1,"x":"a"}
-- = {"i":2,"x":"b"}
--- asof-of-measurements
SELECT count(*) AS n FROM dependency_rows d ASOF JOIN risk_rows r ON d.entity_id = r.entity_id AND d.measured_at >= r.measured_at AND d.measured_at IS NOT NULL AND r.measured_at IS NOT NULL
-- = {"n":60}
--- positional
SELECT * FROM (VALUES (1), (2)) a(x) POSITIONAL JOIN (VALUES ('p'), ('q')) b(y)
-- = {"x":1,"y":"p"}
-- = {"x":2,"y":"q"}
--- lateral-subquery
SELECT a.i, l.s FROM range(1, 4) a(i), LATERAL (SELECT sum(j) AS s FROM range(a.i) b(j)) l ORDER BY a.i
-- = {"i":1,"s":0}
-- = {"i":2,"s":1}
-- = {"i":3,"s":3}
--- lateral-top-n
SELECT c.commodity, t.value FROM (SELECT DISTINCT commodity FROM fold_risks) c, LATERAL (SELECT value FROM fold_risks f WHERE f.commodity = c.commodity ORDER BY value DESC LIMIT 1) t ORDER BY 1
-- = {"commodity":"beef","value":437.5}
-- = {"commodity":"cocoa","value":425}
-- = {"commodity":"palm oil","value":412.5}
-- = {"commodity":"soy","value":400}
--- lateral-without-the-word
SELECT a.i, b.j FROM range(2) a(i), (SELECT a.i * 10 AS j) b ORDER BY 1
-- = {"i":0,"j":0}
-- = {"i":1,"j":10}
--- left-join-lateral
SELECT a.i, l.j FROM range(2) a(i) LEFT JOIN LATERAL (SELECT a.i AS j WHERE a.i > 0) l ON true ORDER BY a.i
-- = {"i":0,"j":null}
-- = {"i":1,"j":1}
--- unnest-in-from
SELECT tag, count(*) AS n FROM fold_risks, unnest(tags) AS t(tag) GROUP BY tag ORDER BY tag
-- = {"tag":"high","n":12}
-- = {"tag":"low","n":12}
-- = {"tag":"new","n":12}
--- cross-join-unnest
SELECT a.x, t.y FROM (VALUES ('p', [1, 2])) a(x, l) CROSS JOIN unnest(a.l) t(y) ORDER BY y
-- = {"x":"p","y":1}
-- = {"x":"p","y":2}
--- self-join
SELECT count(*) AS pairs FROM dash_ipbes a JOIN dash_ipbes b ON a.ipbes_pressure = b.ipbes_pressure AND a.value < b.value
-- = {"pairs":1}
--- three-relations | rows: 5
SELECT f.entity_id, count(*) AS n FROM fold_risks f JOIN fold_dependencies d USING (entity_id) JOIN dependency_rows r USING (entity_id) GROUP BY ALL
--- nested-parentheses
SELECT count(*) AS n FROM ((range(3) a(i) JOIN range(3) b(i) USING (i)) LEFT JOIN range(2) c(i) USING (i))
-- = {"n":3}
--- join-on-expression
SELECT count(*) AS n FROM range(6) a(i) JOIN range(3) b(j) ON a.i // 2 = b.j AND a.i % 2 = 0
-- = {"n":3}
--- join-of-null-safe
SELECT count(*) AS n FROM (VALUES (NULL), (1)) a(x) JOIN (VALUES (NULL), (2)) b(x) ON a.x IS NOT DISTINCT FROM b.x
-- = {"n":1}
--- join-alias-of-columns
SELECT t.a, t.b FROM dash_ipbes AS t(a, b) WHERE b > 40
-- = {"a":"land use change","b":41.5}
--- quoted-relation
SELECT count(*) AS n FROM "FOLD_RISKS" AS "Fold Risks" WHERE "Fold Risks"."SCORE" >= 0
-- = {"n":36}
--- relation-in-single-quotes
SELECT count(*) AS n FROM 'dash_ipbes'
-- = {"n":6}
--- qualified-columns
SELECT dash_ipbes.value FROM dash_ipbes WHERE dash_ipbes.ipbes_pressure = 'climate change'
-- = {"value":18.25}
--- table-of-amounts
SELECT item, sum(amount) AS total FROM amounts GROUP BY item ORDER BY item
-- = {"item":"land","total":7}
-- = {"item":"water","total":170}
--- empty-optional-table
SELECT count(*) AS n FROM notes
-- = {"n":0}
