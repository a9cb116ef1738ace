# Reads pages of rows and an export with httr2 and jsonlite. The service and the key come from the environment; the
# file is read by the first of arrow, duckdb and nanoparquet that is installed.
library(httr2)

service <- Sys.getenv("FOLDGATE_URL", "http://127.0.0.1:8080")
key <- Sys.getenv("FOLDGATE_KEY")

# Whether the same call may succeed later. No other failure is retried.
is_passing <- function(response) {
  if (resp_status(response) < 400) return(FALSE)
  failure <- resp_body_json(response)
  failure$class %in% c("UNAVAILABLE", "RATE_LIMITED") ||
    (failure$class == "NOT_READY" && isTRUE(failure$data$retry))
}

# The class of a failure, and its message, which says what to do.
told <- function(response) {
  failure <- resp_body_json(response)
  paste0(failure$class, ": ", failure$message)
}

ask <- function(path) {
  request(paste0(service, path)) |>
    req_auth_bearer_token(key) |>
    req_retry(max_tries = 4, is_transient = is_passing) |>
    req_error(body = told)
}

call_method <- function(method, params) {
  response <- ask(paste0("/public/v1/api/", method)) |>
    req_body_json(params) |>
    req_perform()
  resp_body_json(response)$result
}

# Every row of a query, as a data frame.
rows <- function(project, sql) {
  all <- list()
  page <- list(limit = 500)
  repeat {
    result <- call_method("projects/query", list(projectId = project, sql = sql, page = page))
    all <- c(all, result$items)
    if (is.null(result$nextCursor)) break
    page$cursor <- result$nextCursor
  }
  filled <- lapply(all, function(row) lapply(row, function(cell) if (is.null(cell)) NA else cell))
  do.call(rbind, lapply(filled, as.data.frame))
}

read_file <- function(path) {
  if (requireNamespace("arrow", quietly = TRUE)) return(as.data.frame(arrow::read_parquet(path)))
  if (requireNamespace("duckdb", quietly = TRUE)) {
    connection <- DBI::dbConnect(duckdb::duckdb())
    on.exit(DBI::dbDisconnect(connection, shutdown = TRUE))
    return(DBI::dbGetQuery(connection, paste0("SELECT * FROM '", path, "'")))
  }
  if (requireNamespace("nanoparquet", quietly = TRUE)) return(as.data.frame(nanoparquet::read_parquet(path)))
  message("Install arrow, duckdb or nanoparquet to read the file.")
  NULL
}

projects <- call_method("projects/list", list(page = list(limit = 500)))$items
computed <- Filter(function(each) each$state == "computed", projects)
project <- computed[[1]]$projectId
cat(computed[[1]]$name, "\n")

print(rows(project, "SELECT ipbes_pressure, value FROM dash_ipbes ORDER BY value DESC NULLS LAST, ipbes_pressure"))

exported <- call_method("projects/export", list(projectId = project, sql = "SELECT * FROM fold_pressures"))
path <- sub("^.*(/public/)", "\\1", exported$url) # only the path, so that the key is sent to no other address
ask(path) |> req_perform(path = "pressures.parquet")
stopifnot(file.size("pressures.parquet") == exported$bytes)
cat("downloaded", exported$bytes, "bytes\n")

pressures <- read_file("pressures.parquet")
if (!is.null(pressures)) print(aggregate(net ~ pressure_indicator + unit, pressures, sum))
