"""A small client for a Foldgate service, built on requests: copy and adapt it."""

import os
import random
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import requests

ATTEMPTS = 4
LONGEST_WAIT_SECONDS = 60


class AnalyticsError(Exception):
    """A call that the service refused: the class says why, the message what to do."""

    def __init__(self, answer: dict):
        super().__init__(f"{answer['class']}: {answer['message']}")
        self.error_class: str = answer["class"]
        self.data: dict = answer.get("data", {})

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
        answer = response.json()
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
        """Yields every row of a query; view may have entityId and ownershipView."""
        return self.pages("projects/query", projectId=project_id, sql=sql, **view)

    def export(self, project_id: str, sql: str, path: str, **view) -> str:
        """Downloads the rows of a query as a Parquet file to a path, and returns the path."""
        exported = self.call("projects/export", projectId=project_id, sql=sql, **view)
        # Only the path of the link is used, so that the key is sent to no other address.
        link = urlsplit(exported["url"]).path
        with self._send("GET", link[link.rindex("/public/") :], stream=True, timeout=60) as response:
            with open(path, "wb") as file:
                for part in response.iter_content(1 << 20):
                    file.write(part)
        if os.path.getsize(path) != exported["bytes"]:
            raise OSError(f"{path} did not arrive whole: download it again")
        return path

    def _send(self, verb: str, path: str, **options) -> requests.Response:
        for attempt in range(1, ATTEMPTS + 1):
            response = self.session.request(verb, self.url + path, **options)
            if response.ok:
                return response
            error = AnalyticsError(response.json())
            asked = float(response.headers.get("Retry-After", 0))
            if attempt == ATTEMPTS or not error.is_passing or asked > LONGEST_WAIT_SECONDS:
                raise error
            spread = 2 ** (attempt - 1) / 2
            time.sleep((asked or spread) + random.random() * spread)
        raise AssertionError("unreachable")
