--- totals
SELECT count(*) AS n, sum(value) AS total, avg(value) AS mean, min(value) AS least, max(value) AS most FROM dash_ipbes
-- = {"n":6,"total":103.5,"mean":17.25,"least":3.5,"most":41.5}
--- group-by-all
SELECT ipbes_pressure, sum(value) AS total FROM dash_ipbes GROUP BY ALL HAVING count(*) > 1
-- = {"ipbes_pressure":"pollution","total":25.5}
--- group-by-position
SELECT risk, sum(value) AS total FROM fold_risks GROUP BY 1 ORDER BY 2 DESC
-- = {"risk":"soil loss","total":2775}
-- = {"risk":"water stress","total":2625}
-- = {"risk":"deforestation","total":2475}
--- group-by-null
SELECT biome IS NULL AS unknown, count(*) AS n FROM fold_risks GROUP BY ALL ORDER BY unknown
-- = {"unknown":false,"n":29}
-- = {"unknown":true,"n":7}
--- count-forms
SELECT count() AS a, count(*) AS b, count(net) AS c, count(DISTINCT unit) AS d, count_if(scope = 1) AS e FROM fold_pressures
-- = {"a":48,"b":48,"c":43,"d":4,"e":16}
--- sum-of-nulls
SELECT sum(net) AS total, sum(net) FILTER (WHERE scope > 9) AS none FROM fold_pressures
-- = {"total":1781.5,"none":null}
--- filter-clause
SELECT count(*) FILTER (WHERE value > 20) AS large, sum(value) FILTER (WHERE ipbes_pressure = 'pollution') AS p FROM dash_ipbes
-- = {"large":2,"p":25.5}
--- having-without-group
SELECT sum(value) AS total FROM dash_ipbes HAVING sum(value) > 100
-- = {"total":103.5}
--- grouping-sets
SELECT risk, commodity, sum(value) AS total FROM fold_risks GROUP BY GROUPING SETS ((risk), (commodity), ()) ORDER BY ALL NULLS LAST LIMIT 1
-- = {"risk":"deforestation","commodity":null,"total":2475}
--- rollup
SELECT risk, sum(value) AS total, grouping(risk) AS level FROM fold_risks GROUP BY ROLLUP (risk) ORDER BY level DESC, risk
-- = {"risk":null,"total":7875,"level":1}
-- = {"risk":"deforestation","total":2475,"level":0}
-- = {"risk":"soil loss","total":2775,"level":0}
-- = {"risk":"water stress","total":2625,"level":0}
--- cube | rows: 8
SELECT risk, details.level IS NULL AS l, count(*) AS n FROM fold_risks GROUP BY CUBE (risk, details.level IS NULL) ORDER BY ALL 
--- grouping-id | rows: 13
SELECT grouping_id(risk, commodity) AS level, count(*) AS n FROM fold_risks WHERE commodity <> 'soy' GROUP BY ROLLUP (risk, commodity) ORDER BY ALL
--- ordered-list
SELECT list(ipbes_pressure ORDER BY value DESC)[1:2] AS top FROM dash_ipbes
-- = {"top":["land use change","pollution"]}
--- ordered-text
SELECT string_agg(DISTINCT commodity, ', ' ORDER BY commodity) AS all_of_them FROM fold_risks
-- = {"all_of_them":"beef, cocoa, palm oil, soy"}
--- listagg
SELECT listagg(ipbes_pressure, '|' ORDER BY value) AS t FROM dash_ipbes WHERE value < 12
-- = {"t":"pollution|invasive species"}
--- group-concat
SELECT group_concat(i::VARCHAR, '-') AS t FROM range(3) r(i)
-- = {"t":"0-1-2"}
--- median-and-quantiles
SELECT median(i) AS m, quantile_cont(i, 0.25) AS q, quantile_disc(i, [0.0, 1.0]) AS ends, mode(i % 2) AS often FROM range(5) t(i)
-- = {"m":2,"q":1,"ends":[0,4],"often":0}
--- percentile-within-group
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i) AS m, percentile_disc(0.5) WITHIN GROUP (ORDER BY i DESC) AS d, mode() WITHIN GROUP (ORDER BY i % 2) AS often FROM range(5) t(i)
-- = {"m":2,"d":2,"often":0}
--- extremes-by
SELECT arg_max(ipbes_pressure, value) AS most, arg_min(ipbes_pressure, value) AS least, max_by(value, value) AS v, max(value, 2) AS two, min_by(ipbes_pressure, value, 2) AS low FROM dash_ipbes
-- = {"most":"land use change","least":"pollution","v":41.5,"two":[41.5,22],"low":["pollution","invasive species"]}
--- first-and-last
SELECT first(value ORDER BY value) AS f, last(value ORDER BY value) AS l, any_value(value ORDER BY value) AS a, arbitrary(1) AS b FROM dash_ipbes
-- = {"f":3.5,"l":41.5,"a":3.5,"b":1}
--- booleans-and-bits
SELECT bool_and(value > 3) AS every, bool_or(value > 41) AS some, bit_or(i) AS o, bit_xor(i) AS x FROM dash_ipbes, (SELECT 5 AS i)
-- = {"every":true,"some":true,"o":5,"x":0}
--- spread
SELECT stddev_pop(x) AS s, var_pop(x) AS v, var_samp(x) AS w FROM (VALUES (2), (4), (4), (4), (5), (5), (7), (9)) t(x)
-- = {"s":2,"v":4,"w":4.571428571428571}
--- correlation
SELECT corr(x, y) AS c, regr_slope(y, x) AS slope, regr_intercept(y, x) AS base, covar_pop(x, y) AS cov FROM (VALUES (1, 3), (2, 5), (3, 7)) t(x, y)
-- = {"c":1,"slope":2,"base":1,"cov":1.3333333333333333}
--- histogram
SELECT histogram(x) AS h FROM (VALUES ('a'), ('b'), ('a')) t(x)
-- = {"h":{"a":2,"b":1}}
--- histogram-of-bins
SELECT map_keys(histogram(value, [10, 20, 50])) AS bins FROM dash_ipbes
-- = {"bins":[10,20,50]}
--- approximate
SELECT approx_count_distinct(risk) BETWEEN 2 AND 4 AS n, approx_quantile(CAST(value AS DOUBLE), 0.5) > 0 AS q, len(approx_top_k(risk, 2)) AS k FROM fold_risks
-- = {"n":true,"q":true,"k":2}
--- product-and-geomean
SELECT product(x) AS p, geomean(x) AS g, entropy(x) AS e, kurtosis(x) IS NULL AS k, skewness(x) IS NULL AS s, mad(x) AS m FROM (VALUES (2), (8)) t(x)
-- = {"p":16,"g":4,"e":1,"k":true,"s":true,"m":3}
--- weighted
SELECT sum(score * value) / sum(value) > 0 AS ok, weighted_avg(value, score) > 0 AS w FROM fold_risks
-- = {"ok":true,"w":true}
--- nested-aggregate
SELECT max(n) AS most FROM (SELECT biome, count(*) AS n FROM fold_risks GROUP BY biome)
-- = {"most":8}
--- aggregate-of-structs
SELECT list({'driver': ipbes_pressure, 'value': value} ORDER BY value)[1] AS least FROM dash_ipbes
-- = {"least":{"driver":"pollution","value":3.5}}
--- aggregate-in-case
SELECT CASE WHEN sum(value) > 100 THEN 'large' ELSE 'small' END AS size FROM dash_ipbes
-- = {"size":"large"}
--- share-of-total
SELECT ipbes_pressure, round(100 * sum(value) / (SELECT sum(value) FROM dash_ipbes), 1) AS percent FROM dash_ipbes GROUP BY 1 ORDER BY 2 DESC LIMIT 2
-- = {"ipbes_pressure":"land use change","percent":40.1}
-- = {"ipbes_pressure":"pollution","percent":24.6}
--- map-aggregate
SELECT map(list(x ORDER BY x), list(y ORDER BY x)) AS m FROM (VALUES ('a', 1), ('b', 2)) t(x, y)
-- = {"m":{"a":1,"b":2}}
--- json-aggregates
SELECT json_group_array(i) AS a, json_group_object(k, i) AS o FROM (VALUES (2, 'x'), (1, 'x')) t(i, k) WHERE i = 1
-- = {"a":[1],"o":{"x":1}}
--- sum-distinct
SELECT sum(DISTINCT x) AS s, avg(DISTINCT x) AS a FROM (VALUES (1), (1), (3)) t(x)
-- = {"s":4,"a":2}
