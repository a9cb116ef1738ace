--- literals
SELECT DATE '2025-02-28' AS d, TIME '10:20:30' AS t, TIMESTAMP '2025-01-02 03:04:05.6' AS ts, TIMESTAMPTZ '2025-01-02 03:04:05+02' AS tz, INTERVAL 1 MONTH AS i, INTERVAL '2 days 3 hours' AS j
-- = {"d":"2025-02-28","t":"10:20:30","ts":"2025-01-02T03:04:05.6","tz":"2025-01-02T01:04:05Z","i":"P1M","j":"P2DT3H"}
--- arithmetic
SELECT DATE '2025-01-31' + INTERVAL 1 MONTH AS a, DATE '2025-03-01' - DATE '2025-02-01' AS b, DATE '2025-01-01' + 5 AS c, TIMESTAMP '2025-01-01' - INTERVAL 90 MINUTE AS e, 2 * INTERVAL 1 DAY AS f
-- = {"a":"2025-02-28T00:00:00","b":28,"c":"2025-01-06","e":"2024-12-31T22:30:00","f":"P2D"}
--- parts
SELECT year(d) AS y, month(d) AS m, day(d) AS d1, quarter(d) AS q, week(d) AS w, dayofweek(d) AS dow, isodow(d) AS iso, dayofyear(d) AS doy, extract(year FROM d) AS e, date_part('month', d) AS p, monthname(d) AS mn, dayname(d) AS dn, last_day(d) AS l FROM (SELECT DATE '2025-05-18' AS d)
-- = {"y":2025,"m":5,"d1":18,"q":2,"w":20,"dow":0,"iso":7,"doy":138,"e":2025,"p":5,"mn":"May","dn":"Sunday","l":"2025-05-31"}
--- truncate
SELECT date_trunc('month', DATE '2025-05-18') AS m, date_trunc('hour', TIMESTAMP '2025-01-01 10:59:00') AS h, time_bucket(INTERVAL '7 days', DATE '2025-01-10', DATE '2025-01-01') AS b
-- = {"m":"2025-05-01T00:00:00","h":"2025-01-01T10:00:00","b":"2025-01-08"}
--- differences
SELECT date_diff('month', DATE '2025-01-31', DATE '2025-03-01') AS a, datediff('day', DATE '2025-01-01', DATE '2025-01-31') AS b, date_sub('month', DATE '2025-01-31', DATE '2025-03-01') AS c, age(DATE '2025-03-02', DATE '2025-01-01') AS d
-- = {"a":2,"b":30,"c":1,"d":"P2M1D"}
--- formats
SELECT strftime(DATE '2025-05-18', '%d/%m/%Y') AS a, strptime('18.05.2025', '%d.%m.%Y') AS b, try_strptime('x', '%Y') AS c, strftime(TIMESTAMP '2025-01-02 03:04:05', '%Y-%m-%dT%H:%M:%S') AS d
-- = {"a":"18/05/2025","b":"2025-05-18T00:00:00","c":null,"d":"2025-01-02T03:04:05"}
--- makers
SELECT make_date(2025, 1, 2) AS a, make_time(1, 2, 3.5) AS b, make_timestamp(2025, 1, 2, 3, 4, 5) AS c, to_timestamp(0) AS d, epoch(TIMESTAMP '1970-01-02') AS e, epoch_ms(1000) AS f, to_days(2) AS g
-- = {"a":"2025-01-02","b":"01:02:03.5","c":"2025-01-02T03:04:05","d":"1970-01-01T00:00:00Z","e":86400,"f":"1970-01-01T00:00:01","g":"P2D"}
--- zones
SELECT TIMESTAMP '2025-07-01 12:00:00' AT TIME ZONE 'Europe/Paris' AS a, TIMESTAMPTZ '2025-07-01 12:00:00+00' AT TIME ZONE 'America/New_York' AS b, timezone('Asia/Tokyo', TIMESTAMPTZ '2025-01-01 00:00:00+00') AS c
-- = {"a":"2025-07-01T10:00:00Z","b":"2025-07-01T08:00:00","c":"2025-01-01T09:00:00"}
--- zones-of-a-column
SELECT TIMESTAMPTZ '2025-07-01 12:00:00+00' AT TIME ZONE zone::TEXT AS a FROM (VALUES ('Asia/Tokyo'), ('UTC')) t(zone) ORDER BY a
-- = {"a":"2025-07-01T12:00:00"}
-- = {"a":"2025-07-01T21:00:00"}
--- approximate-quantiles
SELECT approx_quantile(v::DECIMAL(10, 2), 0.5) AS a, approx_quantile(TRY_CAST(v AS BIGINT), [0, 1]) AS b FROM (VALUES (1), (2), (3)) t(v)
-- = {"a":2,"b":[1,3]}
--- infinities
SELECT 'infinity'::DATE AS a, isfinite(DATE '2025-01-01') AS b, DATE '-infinity' < DATE '0001-01-01' AS c
-- = {"a":"infinity","b":true,"c":true}
--- by-month
SELECT date_trunc('month', assessed_on) AS month, count(*) AS n FROM fold_risks GROUP BY ALL ORDER BY month LIMIT 2
-- = {"month":"2025-01-01T00:00:00","n":4}
-- = {"month":"2025-02-01T00:00:00","n":3}
--- calendar
SELECT d::DATE AS d FROM range(DATE '2025-01-01', DATE '2025-03-01', INTERVAL 1 MONTH) t(d)
-- = {"d":"2025-01-01"}
-- = {"d":"2025-02-01"}
--- calendar-left-join
SELECT c.m::DATE AS m, count(f.value) AS n FROM generate_series(DATE '2024-12-01', DATE '2025-01-01', INTERVAL 1 MONTH) c(m) LEFT JOIN fold_risks f ON date_trunc('month', f.assessed_on) = c.m GROUP BY ALL ORDER BY m
-- = {"m":"2024-12-01","n":0}
-- = {"m":"2025-01-01","n":4}
--- between-dates
SELECT count(*) AS n FROM fold_risks WHERE assessed_on BETWEEN DATE '2025-01-01' AND DATE '2025-01-31'
-- = {"n":4}
--- overlaps-by-hand
SELECT count(*) AS n FROM (VALUES (DATE '2025-01-01', DATE '2025-02-01')) a(s, e), (VALUES (DATE '2025-01-15', DATE '2025-03-01')) b(s, e) WHERE a.s < b.e AND b.s < a.e
-- = {"n":1}
--- calendar-in-select
SELECT unnest(generate_series(DATE '2025-01-01', DATE '2025-03-01', INTERVAL 1 MONTH))::DATE AS m
-- = {"m":"2025-01-01"}
-- = {"m":"2025-02-01"}
-- = {"m":"2025-03-01"}
--- days-as-a-list
SELECT len(range(DATE '2025-01-01', DATE '2025-02-01', INTERVAL 1 DAY)) AS days
-- = {"days":31}
--- infinities-of-every-precision
SELECT 'infinity'::TIMESTAMP_S AS s, '-infinity'::TIMESTAMP_MS AS ms, 'infinity'::TIMESTAMP_MS AS m, '-infinity'::TIMESTAMP_NS AS ns, 'infinity'::TIMESTAMPTZ AS tz, '-infinity'::DATE AS d
-- = {"s":"infinity","ms":"-infinity","m":"infinity","ns":"-infinity","tz":"infinity","d":"-infinity"}
--- offsets-with-seconds
SELECT '10:00:00+00:00:01'::TIMETZ AS a, '10:00:00-01:30'::TIMETZ AS b, '10:00:00.25+15:59:59'::TIMETZ AS c
-- = {"a":"10:00:00+00:00:01","b":"10:00:00-01:30","c":"10:00:00.25+15:59:59"}
