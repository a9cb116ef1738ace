/** The statistics of files as sealing computes them, for benchmarks, which name no path into the library. */
export { statisticsOfFiles } from '#lib/duckdb/child/statistics.js'
