"""Calls the service through the client that openapi-generator writes for Python."""

import hashlib
import json
import os

import openapi_client
from openapi_client import ExportsApi, PageParams, ProjectsApi
from openapi_client.models import (
    ForbiddenError,
    InvalidQueryError,
    ProjectDescribeParams,
    ProjectExportParams,
    ProjectQueryParams,
)

project = os.environ["PROJECT"]
configuration = openapi_client.Configuration(os.environ["FOLDGATE_URL"], access_token=os.environ["FOLDGATE_KEY"])


def failure(projects: ProjectsApi, project_id: str, sql: str):
    try:
        projects.projects_query(ProjectQueryParams(project_id=project_id, sql=sql))
    except openapi_client.ApiException as error:
        return error.data
    raise AssertionError("the call succeeded")


with openapi_client.ApiClient(configuration) as client:
    projects = ProjectsApi(client)
    listed = projects.projects_list().result.items
    relation = ProjectDescribeParams(project_id=project, relation="fold_totals")
    described = projects.projects_describe(relation).result
    rows, pages, cursor = [], 0, None
    while pages == 0 or cursor is not None:
        page = PageParams(limit=1, cursor=cursor)
        asked = ProjectQueryParams(project_id=project, sql=os.environ["SQL"], page=page)
        answer = projects.projects_query(asked).result
        rows += answer.items
        pages, cursor = pages + 1, answer.next_cursor
    exported = projects.projects_export(ProjectExportParams(project_id=project, sql=os.environ["SQL"])).result
    file = bytes(ExportsApi(client).exports_get(exported.url.split("/")[-1]))
    refused = failure(projects, project, "DROP TABLE x")
    forbidden = failure(projects, os.environ["FOREIGN_PROJECT"], os.environ["SQL"])
    assert isinstance(refused, InvalidQueryError) and isinstance(forbidden, ForbiddenError)
    result = {
        "projects": [project.project_id for project in listed],
        "columns": [column.name for column in described.columns or []],
        "rows": rows,
        "pages": pages,
        "url": exported.url,
        "bytes": [exported.bytes, len(file)],
        "sha256": hashlib.sha256(file).hexdigest(),
        "refused": [refused.var_class, refused.data.rule],
        "forbidden": forbidden.var_class,
    }
    print(json.dumps(result, default=str))
