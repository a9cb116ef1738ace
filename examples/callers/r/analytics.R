# Reads pages of rows and exports with httr2 and jsonlite. The service and the key come from the environment. R reads
# CSV by itself, and Parquet with the first of arrow, duckdb and nanoparquet that is installed.
library(httr2)

service <- sub("/$", "", Sys.getenv("FOLDGATE_URL", "http://127.0.0.1:8080"))
key <- Sys.getenv("FOLDGATE_KEY")

# The answer of the service as a list. If a proxy answers for a service that is starting, or something else has the
# address, it is a failure too.
answer_of <- function(response) {
  answer <- tryCatch(resp_body_json(response, check_type = FALSE), error = function(unreadable) NULL)
  if (is.list(answer) && any(c("result", "class") %in% names(answer))) return(answer)
  status <- resp_status(response)
  list(
    class = if (status %in% c(502, 503)) "UNAVAILABLE" else "UNREADABLE",
    message = paste(status, "from", response$url, "is not an answer of the service. Check FOLDGATE_URL.")
  )
}

# Whether the same call may succeed later. No other failure is retried.
is_passing <- function(response) {
  if (resp_status(response) < 400) return(FALSE)
  failure <- answer_of(response)
  failure$class %in% c("UNAVAILABLE", "RATE_LIMITED") ||
    (failure$class == "NOT_READY" && isTRUE(failure$data$retry))
}

# The class of a failure, and its message, which says what to do.
told <- function(response) {
  failure <- answer_of(response)
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
  result <- answer_of(response)$result
  if (is.null(result)) stop(told(response), call. = FALSE)
  result
}

# Every row of a query, as a data frame. If there are none, it has the columns, but not their types. The names after $ in
# the statement stand for values, which are sent beside it: list(least = 0.1), or with an SQL type,
# list(since = list(type = "DATE", value = "2026-01-01")). Pasted into the statement, they would be SQL.
rows <- function(project, sql, parameters = NULL) {
  pages <- list()
  page <- list(limit = 500)
  repeat {
    params <- list(projectId = project, sql = sql, page = page, include = list("columns"))
    params$parameters <- parameters # NULL adds nothing
    result <- call_method("projects/query", params)
    pages[[length(pages) + 1]] <- result$items
    if (is.null(result$nextCursor)) break
    page$cursor <- result$nextCursor
  }
  as_frame(do.call(c, pages), vapply(result$columns, `[[`, "", "name"))
}

# Column by column: to bind a data frame per row takes some forty times as long.
as_frame <- function(items, columns) {
  cells <- lapply(columns, function(name) as_column(lapply(items, `[[`, name)))
  list2DF(setNames(cells, columns), nrow = length(items))
}

# Values of one kind as a vector, with NA for NULL; lists, structs and mixed kinds as a list.
as_column <- function(cells) {
  is_null <- vapply(cells, is.null, NA)
  is_text <- vapply(cells, is.character, NA)
  is_number <- vapply(cells, is.numeric, NA)
  is_flag <- vapply(cells, is.logical, NA)
  if (any(is_text) && any(is_number) && all(is_null | is_text | is_number)) {
    # Values that a JSON number cannot represent are strings: NaN and the infinities, or numbers of too many digits.
    if (all(unlist(cells[is_text]) %in% c("NaN", "Infinity", "-Infinity"))) {
      cells[is_text] <- lapply(cells[is_text], as.numeric)
    } else {
      cells[is_number] <- lapply(cells[is_number], format, digits = 15, scientific = FALSE)
    }
  } else if (!all(is_null | is_text) && !all(is_null | is_number) && !all(is_null | is_flag)) {
    return(lapply(cells, as_cell))
  }
  cells[is_null] <- NA
  if (length(cells) == 0) logical() else unlist(cells)
}

as_cell <- function(cell) {
  if (!is.list(cell) || length(cell) == 0) return(cell)
  if (is.null(names(cell))) as_column(cell) else lapply(cell, as_cell)
}

# Downloads every row of a query as a file, which ends with the name of its format: parquet, csv, ndjson, arrow or xlsx.
export <- function(project, sql, file, parameters = NULL) {
  params <- list(projectId = project, sql = sql, format = tools::file_ext(file))
  params$parameters <- parameters
  exported <- call_method("projects/export", params)
  path <- sub("^.*(/public/)", "\\1", exported$url) # only the path, so that the key is sent to no other address
  ask(path) |> req_perform(path = file)
  if (file.size(file) != exported$bytes) stop(file, " did not arrive whole: download it again")
  exported$bytes
}

# Texts such as "NA" are kept; an empty field is NA, also if it is an empty text. R takes true and false for logical, and
# numbers of more than 15 digits for text, only if told: colClasses = c(flag = "logical", id = "character").
read_csv <- function(path, ...) {
  read.csv(path, na.strings = "", check.names = FALSE, encoding = "UTF-8", ...)
}

read_parquet <- function(path) {
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

main <- function() {
  projects <- call_method("projects/list", list(page = list(limit = 500)))$items
  computed <- Filter(function(each) each$state == "computed", projects)
  project <- computed[[1]]$projectId
  cat(computed[[1]]$name, "\n")

  drivers <- "SELECT ipbes_pressure, value FROM dash_ipbes WHERE value >= $least ORDER BY value DESC, ipbes_pressure"
  print(rows(project, drivers, list(least = 0.1)))

  bytes <- export(project, "SELECT * FROM fold_pressures", "pressures.csv")
  cat("downloaded", bytes, "bytes\n")
  print(aggregate(net ~ pressure_indicator + unit, read_csv("pressures.csv"), sum))

  # Larger results are smaller as Parquet, and keep their types.
  export(project, "SELECT * FROM fold_pressures", "pressures.parquet")
  pressures <- read_parquet("pressures.parquet")
  if (!is.null(pressures)) str(pressures)
}

if (sys.nframe() == 0) main() # not when another script has called source() on this one
