--- row-number
SELECT ipbes_pressure, row_number() OVER (ORDER BY value DESC) AS place FROM dash_ipbes ORDER BY place LIMIT 2
-- = {"ipbes_pressure":"land use change","place":1}
-- = {"ipbes_pressure":"pollution","place":2}
--- ranks
SELECT x, rank() OVER w AS r, dense_rank() OVER w AS d, percent_rank() OVER w AS p, cume_dist() OVER w AS c, ntile(2) OVER w AS n FROM (VALUES (1), (1), (3)) t(x) WINDOW w AS (ORDER BY x) ORDER BY x, n
-- = {"x":1,"r":1,"d":1,"p":0,"c":0.6666666666666666,"n":1}
-- = {"x":1,"r":1,"d":1,"p":0,"c":0.6666666666666666,"n":1}
-- = {"x":3,"r":3,"d":2,"p":1,"c":1,"n":2}
--- running-total
SELECT i, sum(i) OVER (ORDER BY i) AS running FROM range(1, 5) t(i) ORDER BY i
-- = {"i":1,"running":1}
-- = {"i":2,"running":3}
-- = {"i":3,"running":6}
-- = {"i":4,"running":10}
--- moving-average
SELECT i, avg(i) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS m FROM range(4) t(i) ORDER BY i
-- = {"i":0,"m":0.5}
-- = {"i":1,"m":1}
-- = {"i":2,"m":2}
-- = {"i":3,"m":2.5}
--- lag-and-lead
SELECT i, lag(i) OVER (ORDER BY i) AS a, lead(i, 2, -1) OVER (ORDER BY i) AS b, i - lag(i, 1, 0) OVER (ORDER BY i) AS step FROM (VALUES (1), (4), (9)) t(i) ORDER BY i
-- = {"i":1,"a":null,"b":9,"step":1}
-- = {"i":4,"a":1,"b":-1,"step":3}
-- = {"i":9,"a":4,"b":-1,"step":5}
--- first-last-nth
SELECT DISTINCT first_value(i) OVER w AS f, last_value(i) OVER w AS l, nth_value(i, 2) OVER w AS n FROM range(3) t(i) WINDOW w AS (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
-- = {"f":0,"l":2,"n":1}
--- ignore-nulls
SELECT i, last_value(x IGNORE NULLS) OVER (ORDER BY i) AS filled FROM (VALUES (1, 'a'), (2, NULL), (3, 'c')) t(i, x) ORDER BY i
-- = {"i":1,"filled":"a"}
-- = {"i":2,"filled":"a"}
-- = {"i":3,"filled":"c"}
--- partition
SELECT risk, max(place) AS rows FROM (SELECT risk, row_number() OVER (PARTITION BY risk ORDER BY value) AS place FROM fold_risks) GROUP BY risk ORDER BY risk
-- = {"risk":"deforestation","rows":12}
-- = {"risk":"soil loss","rows":12}
-- = {"risk":"water stress","rows":12}
--- qualify
SELECT commodity, value FROM fold_risks QUALIFY row_number() OVER (PARTITION BY commodity ORDER BY value DESC) = 1 ORDER BY commodity
-- = {"commodity":"beef","value":437.5}
-- = {"commodity":"cocoa","value":425}
-- = {"commodity":"palm oil","value":412.5}
-- = {"commodity":"soy","value":400}
--- qualify-by-alias
SELECT value, rank() OVER (ORDER BY value DESC) AS place FROM dash_ipbes QUALIFY place <= 2 ORDER BY place
-- = {"value":41.5,"place":1}
-- = {"value":22,"place":2}
--- range-frame
SELECT i, count(*) OVER (ORDER BY i RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) AS n FROM (VALUES (1), (2), (5)) t(i) ORDER BY i
-- = {"i":1,"n":1}
-- = {"i":2,"n":2}
-- = {"i":5,"n":1}
--- range-frame-of-days
SELECT d, sum(x) OVER (ORDER BY d RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND CURRENT ROW) AS week FROM (VALUES (DATE '2025-01-01', 1), (DATE '2025-01-05', 2), (DATE '2025-01-20', 4)) t(d, x) ORDER BY d
-- = {"d":"2025-01-01","week":1}
-- = {"d":"2025-01-05","week":3}
-- = {"d":"2025-01-20","week":4}
--- range-frame-of-standard-intervals
SELECT d, sum(x) OVER (ORDER BY d RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND INTERVAL '7' DAY FOLLOWING) AS s FROM (VALUES (DATE '2025-01-01', 1), (DATE '2025-01-05', 2), (DATE '2025-02-03', 4)) t(d, x) ORDER BY d
-- = {"d":"2025-01-01","s":3}
-- = {"d":"2025-01-05","s":3}
-- = {"d":"2025-02-03","s":6}
--- range-frame-of-earlier-months
SELECT d, sum(x) OVER (ORDER BY d RANGE BETWEEN INTERVAL 1 YEAR PRECEDING AND INTERVAL 1 MONTH PRECEDING) AS s FROM (VALUES (DATE '2024-01-05', 1), (DATE '2025-01-05', 2), (DATE '2025-02-05', 4)) t(d, x) ORDER BY d
-- = {"d":"2024-01-05","s":null}
-- = {"d":"2025-01-05","s":1}
-- = {"d":"2025-02-05","s":2}
--- groups-frame
SELECT x, sum(x) OVER (ORDER BY x GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) AS s FROM (VALUES (1), (2), (2)) t(x) ORDER BY x
-- = {"x":1,"s":1}
-- = {"x":2,"s":3}
-- = {"x":2,"s":3}
--- exclude-current-row
SELECT i, sum(i) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) AS others FROM range(3) t(i) ORDER BY i
-- = {"i":0,"others":3}
-- = {"i":1,"others":2}
-- = {"i":2,"others":1}
--- window-of-a-group
SELECT risk, sum(value) AS total, sum(sum(value)) OVER () AS whole FROM fold_risks GROUP BY risk ORDER BY risk
-- = {"risk":"deforestation","total":2475,"whole":7875}
-- = {"risk":"soil loss","total":2775,"whole":7875}
-- = {"risk":"water stress","total":2625,"whole":7875}
--- window-filter-distinct
SELECT DISTINCT count(DISTINCT risk) OVER () AS d, count(*) FILTER (WHERE scope_free) OVER () AS f FROM (SELECT risk, value > 400 AS scope_free FROM fold_risks)
-- = {"d":3,"f":3}
--- window-argument-order
SELECT DISTINCT list(i ORDER BY i DESC) OVER () AS l FROM range(3) t(i)
-- = {"l":[2,1,0]}
--- window-of-a-window
SELECT a.i, sum(a.s) OVER (ORDER BY a.i) AS t FROM (SELECT i, sum(i) OVER (ORDER BY i) AS s FROM range(3) r(i)) a ORDER BY 1
-- = {"i":0,"t":0}
-- = {"i":1,"t":1}
-- = {"i":2,"t":4}
--- named-window-extended
SELECT i, sum(i) OVER (w ROWS 1 PRECEDING) AS s FROM range(3) t(i) WINDOW w AS (ORDER BY i) ORDER BY i
-- = {"i":0,"s":0}
-- = {"i":1,"s":1}
-- = {"i":2,"s":3}
--- gaps-and-islands
SELECT min(i) AS from_i, max(i) AS to_i FROM (SELECT i, i - row_number() OVER (ORDER BY i) AS island FROM (VALUES (1), (2), (5), (6), (7)) t(i)) GROUP BY island ORDER BY 1
-- = {"from_i":1,"to_i":2}
-- = {"from_i":5,"to_i":7}
--- unused-window
SELECT 1 AS a FROM dash_ipbes WINDOW w AS (ORDER BY value) LIMIT 1
-- = {"a":1}
--- method-call-of-an-aggregate
SELECT value.sum() AS total FROM dash_ipbes
-- = {"total":103.5}
--- partitions-of-two-relations
SELECT count(*) OVER (PARTITION BY a.risk, b.risk, a.commodity) AS n FROM fold_risks a JOIN fold_risks b USING (commodity)
--- partition-named-as-another-column
SELECT commodity AS risk, count(*) OVER (PARTITION BY value, commodity) AS n FROM fold_risks
--- lead-in-order
SELECT i, lead(i) OVER w AS a, lead(i, -1) OVER () IS NULL AS b FROM range(2) t(i) WINDOW w AS (PARTITION BY 1 ORDER BY i) ORDER BY i
-- = {"i":0,"a":1,"b":true}
-- = {"i":1,"a":null,"b":false}
--- lead-within-partitions
SELECT count(following) AS n FROM (SELECT lead(i) OVER (PARTITION BY i % 2) AS following FROM range(6) t(i))
-- = {"n":4}
--- windows-without-order
SELECT count(DISTINCT r) AS r, max(k) AS k, min(l) AS l FROM (SELECT row_number() OVER () AS r, rank() OVER () AS k, lag(i) OVER () AS l FROM range(4) t(i))
-- = {"r":4,"k":1,"l":0}
