"""A small client for a Foldgate service, built on requests: copy and adapt it."""

import os
import random
import tempfile
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import requests

ATTEMPTS = 4
LONGEST_WAIT_SECONDS = 60


class AnalyticsError(Exception):
    """A call that failed: error_class says why (see the README), the message what to do."""

    def __init__(self, error_class: str, message: str, data: dict | None = None):
        super().__init__(f"{error_class}: {message}")
        self.error_class = error_class
        self.data = data or {}

    @property
    def is_passing(self) -> bool:
        """Whether the same call may succeed later. Do not retry any other error."""
        if self.error_class == "NOT_READY":
            return self.data.get("retry") is True  # an assessment is running
        return self.error_class in ("UNAVAILABLE", "RATE_LIMITED")


class Analytics:
    """A service and the key to call it with; the defaults are FOLDGATE_URL and FOLDGATE_KEY from the environment."""

    def __init__(self, url: str | None = None, key: str | None = None):
        self.url = (url or os.environ["FOLDGATE_URL"]).rstrip("/")
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {key or os.environ['FOLDGATE_KEY']}"

    def call(self, method: str, **params) -> dict:
        """Calls a method, for example call("projects/list"), and returns its result."""
        response = self._send("POST", f"/public/v1/api/{method}", json=params, timeout=360)
        answer = _json_of(response)
        if "result" not in answer:
            raise _failure_of(response)
        for warning in answer.get("warnings", []):
            print(f"{method}: {warning['path']}: {warning['message']}")
        return answer["result"]

    def pages(self, method: str, **params) -> Iterator[dict]:
        """Yields the items of all pages. INVALID_PARAMS at page.cursor: a new assessment is published, start again."""
        page = {"limit": 500}
        while True:
            result = self.call(method, **params, page=page)
            yield from result["items"]
            if not result.get("nextCursor"):
                return
            page["cursor"] = result["nextCursor"]

    def rows(self, project_id: str, sql: str, **view) -> Iterator[dict]:
        """Yields every row of a query; view may have parameters, for the names after $ in the statement, and snapshot,
        entityId and ownershipView. Send values as parameters: concatenated into the statement, they would be SQL."""
        return self.pages("projects/query", projectId=project_id, sql=sql, **view)

    def frame(self, project_id: str, sql: str, **view):
        """Returns every row of a query as a pandas DataFrame. It is read from an export, so that columns keep their
        types (dates, decimals, integers with NULLs), and an answer without rows keeps its columns."""
        import pandas  # here, because the rest of this module needs requests only

        with tempfile.TemporaryDirectory() as folder:
            path = self.export(project_id, sql, os.path.join(folder, "export.parquet"), **view)
            return pandas.read_parquet(path, dtype_backend="pyarrow")

    def export(self, project_id: str, sql: str, path: str, format: str = "parquet", **view) -> str:
        """Downloads the rows of a query as a file to a path, and returns the path. The README lists the formats."""
        exported = self.call("projects/export", projectId=project_id, sql=sql, format=format, **view)
        with self._send("GET", _path_of(exported["url"]), stream=True, timeout=60) as response:
            with open(path, "wb") as file:
                for part in response.iter_content(1 << 20):
                    file.write(part)
        if os.path.getsize(path) != exported["bytes"]:
            raise OSError(f"{path} did not arrive whole: download it again")
        return path

    def link(self, project_id: str, sql: str, **view) -> str:
        """Returns the URL of an export. For 15 minutes, the same key can read it."""
        return self.url + _path_of(self.call("projects/export", projectId=project_id, sql=sql, **view)["url"])

    def _send(self, verb: str, path: str, **options) -> requests.Response:
        for attempt in range(1, ATTEMPTS + 1):
            response = self.session.request(verb, self.url + path, **options)
            if response.ok:
                return response
            error = _failure_of(response)
            asked = response.headers.get("Retry-After", "")
            asked = int(asked) if asked.isdecimal() else 0  # a proxy may send a date
            if attempt == ATTEMPTS or not error.is_passing or asked > LONGEST_WAIT_SECONDS:
                raise error
            spread = 2 ** (attempt - 1) / 2
            time.sleep((asked or spread) + random.random() * spread)
        raise AssertionError("unreachable")


def _path_of(url: str) -> str:
    """The path of a link. Only this is used, so that the key is sent to no other address."""
    path = urlsplit(url).path
    return path[path.rindex("/public/") :]


def _json_of(response: requests.Response) -> dict:
    """The answer as an object; empty if it is none."""
    try:
        answer = response.json()
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _failure_of(response: requests.Response) -> AnalyticsError:
    answer = _json_of(response)
    if "class" in answer:
        return AnalyticsError(answer["class"], answer["message"], answer.get("data"))
    # A proxy answers for a service that is starting, or something else has the address.
    error_class = "UNAVAILABLE" if response.status_code in (502, 503) else "UNREADABLE"
    start = " ".join(response.text[:200].split())
    message = f"{response.status_code} from {response.url} is not an answer of the service. Check FOLDGATE_URL. {start}"
    return AnalyticsError(error_class, message)
