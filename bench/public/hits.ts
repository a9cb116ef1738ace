import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

const ROWS = 1_000_000

/** A number from 0 up to 1, the same for a row in every run. */
const drawn = (seed: number) => `(hash(i * 64 + ${seed}) / 18446744073709551616)`
/** A whole number below `below`; of a higher power, more often a small one. */
const below = (below: number, seed: number, power = 1) => `floor(pow(${drawn(seed)}, ${power}) * ${below})::BIGINT`
const chance = (share: number, seed: number, then: string, otherwise: string) =>
  `CASE WHEN ${drawn(seed)} < ${share} THEN ${then} ELSE ${otherwise} END`

const HOSTS = "['www.google.ru', 'example.com', 'www.shop.example', 'news.example', 'maps.google.com', 'auto.example']"
const MODELS = "['iPad', 'iPhone', 'N8', 'GT-I9300', 'Lumia 920', 'Nexus 4', 'HTC One', 'A500']"

/** Rows of `hits` with the columns that the statements read. */
const HITS = `
  SELECT (hash(i * 64) >> 1)::BIGINT AS WatchID,
    CASE WHEN page % 7 = 0 THEN 'Google' ELSE 'Page ' || page END || ' – ' || md5(page::VARCHAR) AS Title,
    TIMESTAMP '2013-07-01' + to_seconds(second) AS EventTime,
    (TIMESTAMP '2013-07-01' + to_seconds(second))::DATE AS EventDate,
    counter::INTEGER AS CounterID,
    ((hash(visitor, 1) % 4294967296)::BIGINT - 2147483648)::INTEGER AS ClientIP,
    (hash(visitor, 2) % 3000)::INTEGER AS RegionID,
    CASE WHEN visitor = 17 THEN 435090932899640449 ELSE hash(visitor + 1) >> 1 END::BIGINT AS UserID,
    CASE WHEN page % 50 = 49 THEN '' ELSE 'http://' || ${HOSTS}[1 + page % 6] || '/' || md5(page::VARCHAR) || '/' || page END AS URL,
    CASE WHEN page = 0 THEN 2868770270353813622 ELSE hash(page, 3) >> 1 END::BIGINT AS URLHash,
    CASE WHEN referer < 0 THEN ''
      ELSE 'https://' || ${HOSTS}[1 + referer % 6] || '/search?from=' || md5(referer::VARCHAR) || '/' || referer END AS Referer,
    CASE WHEN referer = 0 THEN 3594120000172545465 ELSE hash(referer, 4) >> 1 END::BIGINT AS RefererHash,
    CASE WHEN phrase < 0 THEN '' ELSE 'how to ' || md5(phrase::VARCHAR)[:8] || ' ' || phrase END AS SearchPhrase,
    CASE WHEN phrase < 0 THEN 0 ELSE 1 + phrase % 60 END::SMALLINT AS SearchEngineID,
    ${chance(0.01, 10, below(60, 11), '0')}::SMALLINT AS AdvEngineID,
    ${below(10, 12)}::SMALLINT - 1::SMALLINT AS TraficSourceID,
    [0, 1024, 1280, 1366, 1440, 1600, 1920][1 + ${below(7, 13)}]::SMALLINT AS ResolutionWidth,
    ${chance(0.05, 14, `1 + ${below(80, 15)}`, '0')}::SMALLINT AS MobilePhone,
    ${chance(0.05, 14, `${MODELS}[1 + ${below(8, 16, 2)}]`, "''")} AS MobilePhoneModel,
    ${chance(0.15, 17, '1', '0')}::SMALLINT AS IsRefresh,
    ${chance(0.2, 18, '1', '0')}::SMALLINT AS IsLink,
    ${chance(0.01, 19, '1', '0')}::SMALLINT AS IsDownload,
    ${chance(0.05, 20, '1', '0')}::SMALLINT AS DontCountHits,
    ${below(1900, 21)}::SMALLINT AS WindowClientWidth,
    ${below(1000, 22)}::SMALLINT AS WindowClientHeight
  FROM (
    SELECT i, ${chance(0.15, 1, '62', `1 + ${below(6000, 2, 3)}`)} AS counter, ${below(2_678_400, 3)} AS second,
      ${below(200_000, 4, 2)} AS visitor, ${below(300_000, 5, 5)} AS page,
      ${chance(0.2, 6, '-1', below(200_000, 7, 5))} AS referer,
      ${chance(0.87, 8, '-1', below(80_000, 9, 3))} AS phrase
    FROM range(${ROWS}) t(i))
  ORDER BY CounterID, EventDate, UserID, EventTime, WatchID`

/** Writes the table `hits` with made rows as a Parquet file. */
export async function hitsTable(folder: string): Promise<string[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  await connection.run(`COPY (${HITS}) TO '${join(folder, 'hits.parquet')}' (FORMAT parquet)`)
  instance.closeSync()
  return ['hits']
}

const top = (keys: string, measure: string, where: string, by = /AS (\w+)/.exec(measure)?.[1] ?? measure) =>
  `SELECT ${keys}, ${measure} FROM hits ${where} GROUP BY ${keys} ORDER BY ${by} DESC LIMIT 10`

const SEARCHED = "WHERE SearchPhrase <> ''"
const VISITORS = 'COUNT(DISTINCT UserID) AS u'
const REFRESHED = 'COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth)'
const during = (from: string, to: string) =>
  `WHERE CounterID = 62 AND EventDate >= '2013-07-${from}' AND EventDate <= '2013-07-${to}' AND IsRefresh = 0`
const JULY = during('01', '31')
const COUNTED = 'AND DontCountHits = 0'

/** The statements of ClickBench in DuckDB's dialect. */
export const HITS_STATEMENTS = Object.fromEntries(
  [
    'SELECT COUNT(*) FROM hits',
    'SELECT COUNT(*) FROM hits WHERE AdvEngineID <> 0',
    'SELECT SUM(AdvEngineID), COUNT(*), AVG(ResolutionWidth) FROM hits',
    'SELECT AVG(UserID) FROM hits',
    'SELECT COUNT(DISTINCT UserID) FROM hits',
    'SELECT COUNT(DISTINCT SearchPhrase) FROM hits',
    'SELECT MIN(EventDate), MAX(EventDate) FROM hits',
    'SELECT AdvEngineID, COUNT(*) FROM hits WHERE AdvEngineID <> 0 GROUP BY AdvEngineID ORDER BY COUNT(*) DESC',
    top('RegionID', VISITORS, ''),
    top('RegionID', 'SUM(AdvEngineID), COUNT(*) AS c, AVG(ResolutionWidth), COUNT(DISTINCT UserID)', ''),
    top('MobilePhoneModel', VISITORS, "WHERE MobilePhoneModel <> ''"),
    top('MobilePhone, MobilePhoneModel', VISITORS, "WHERE MobilePhoneModel <> ''"),
    top('SearchPhrase', 'COUNT(*) AS c', SEARCHED),
    top('SearchPhrase', VISITORS, SEARCHED),
    top('SearchEngineID, SearchPhrase', 'COUNT(*) AS c', SEARCHED),
    top('UserID', 'COUNT(*)', ''),
    top('UserID, SearchPhrase', 'COUNT(*)', ''),
    'SELECT UserID, SearchPhrase, COUNT(*) FROM hits GROUP BY UserID, SearchPhrase LIMIT 10',
    `SELECT UserID, extract(minute FROM EventTime) AS m, SearchPhrase, COUNT(*) FROM hits
     GROUP BY UserID, m, SearchPhrase ORDER BY COUNT(*) DESC LIMIT 10`,
    'SELECT UserID FROM hits WHERE UserID = 435090932899640449',
    "SELECT COUNT(*) FROM hits WHERE URL LIKE '%google%'",
    top('SearchPhrase', 'MIN(URL), COUNT(*) AS c', `${SEARCHED} AND URL LIKE '%google%'`),
    top(
      'SearchPhrase',
      'MIN(URL), MIN(Title), COUNT(*) AS c, COUNT(DISTINCT UserID)',
      `${SEARCHED} AND Title LIKE '%Google%' AND URL NOT LIKE '%.google.%'`,
    ),
    "SELECT * FROM hits WHERE URL LIKE '%google%' ORDER BY EventTime LIMIT 10",
    `SELECT SearchPhrase FROM hits ${SEARCHED} ORDER BY EventTime LIMIT 10`,
    `SELECT SearchPhrase FROM hits ${SEARCHED} ORDER BY SearchPhrase LIMIT 10`,
    `SELECT SearchPhrase FROM hits ${SEARCHED} ORDER BY EventTime, SearchPhrase LIMIT 10`,
    `SELECT CounterID, AVG(STRLEN(URL)) AS l, COUNT(*) AS c FROM hits WHERE URL <> ''
     GROUP BY CounterID HAVING COUNT(*) > 100000 ORDER BY l DESC LIMIT 25`,
    `SELECT REGEXP_REPLACE(Referer, '^https?://(?:www\\.)?([^/]+)/.*$', '\\1') AS k, AVG(STRLEN(Referer)) AS l,
       COUNT(*) AS c, MIN(Referer)
     FROM hits WHERE Referer <> '' GROUP BY k HAVING COUNT(*) > 100000 ORDER BY l DESC LIMIT 25`,
    `SELECT ${Array.from({ length: 90 }, (_, n) => `SUM(ResolutionWidth${n > 0 ? ` + ${n}` : ''})`)} FROM hits`,
    top('SearchEngineID, ClientIP', REFRESHED, SEARCHED),
    top('WatchID, ClientIP', REFRESHED, SEARCHED),
    top('WatchID, ClientIP', REFRESHED, ''),
    top('URL', 'COUNT(*) AS c', ''),
    top('1, URL', 'COUNT(*) AS c', ''),
    top('ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3', 'COUNT(*) AS c', ''),
    top('URL', 'COUNT(*) AS PageViews', `${JULY} ${COUNTED} AND URL <> ''`),
    top('Title', 'COUNT(*) AS PageViews', `${JULY} ${COUNTED} AND Title <> ''`),
    `${top('URL', 'COUNT(*) AS PageViews', `${JULY} AND IsLink <> 0 AND IsDownload = 0`)} OFFSET 1000`,
    `SELECT TraficSourceID, SearchEngineID, AdvEngineID,
       CASE WHEN SearchEngineID = 0 AND AdvEngineID = 0 THEN Referer ELSE '' END AS Src, URL AS Dst,
       COUNT(*) AS PageViews
     FROM hits ${JULY} GROUP BY TraficSourceID, SearchEngineID, AdvEngineID, Src, Dst
     ORDER BY PageViews DESC LIMIT 10 OFFSET 1000`,
    `${top(
      'URLHash, EventDate',
      'COUNT(*) AS PageViews',
      `${JULY} AND TraficSourceID IN (-1, 6) AND RefererHash = 3594120000172545465`,
    )} OFFSET 100`,
    `${top(
      'WindowClientWidth, WindowClientHeight',
      'COUNT(*) AS PageViews',
      `${JULY} ${COUNTED} AND URLHash = 2868770270353813622`,
    )} OFFSET 10000`,
    `SELECT DATE_TRUNC('minute', EventTime) AS M, COUNT(*) AS PageViews FROM hits ${during('14', '15')} ${COUNTED}
     GROUP BY DATE_TRUNC('minute', EventTime) ORDER BY DATE_TRUNC('minute', EventTime) LIMIT 10 OFFSET 1000`,
  ].map((sql, number) => [`Q${number}`, sql]),
)
