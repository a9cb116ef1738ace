"""Calls the service through the client that openapi-python-client writes."""

import hashlib
import json
import os

from client import AuthenticatedClient
from client.api.exports import exports_get
from client.api.projects import projects_describe, projects_export, projects_list, projects_query
from client.models import (
    ExportFormat,
    ForbiddenError,
    InvalidQueryError,
    PageParams,
    ProjectDescribeParams,
    ProjectExportParams,
    ProjectListParams,
    ProjectQueryParams,
)
from uuid import UUID

project = UUID(os.environ["PROJECT"])
sql = os.environ["SQL"]

with AuthenticatedClient(base_url=os.environ["FOLDGATE_URL"], token=os.environ["FOLDGATE_KEY"]) as client:
    listed = projects_list.sync(client=client, body=ProjectListParams()).result.items
    relation = ProjectDescribeParams(project_id=project, relation="fold_totals")
    described = projects_describe.sync(client=client, body=relation).result
    rows, pages, cursor = [], 0, None
    while pages == 0 or cursor:
        asked = ProjectQueryParams(project_id=project, sql=sql, page=PageParams(limit=1, cursor=cursor))
        answer = projects_query.sync(client=client, body=asked).result
        rows += [row.to_dict() for row in answer.items]
        pages, cursor = pages + 1, answer.next_cursor
    exported = projects_export.sync(client=client, body=ProjectExportParams(project_id=project, sql=sql, format_=ExportFormat.CSV)).result
    file = exports_get.sync(exported.url.split("/")[-1], client=client).payload.read()
    refused = projects_query.sync(client=client, body=ProjectQueryParams(project_id=project, sql="DROP TABLE x"))
    foreign = UUID(os.environ["FOREIGN_PROJECT"])
    forbidden = projects_query.sync(client=client, body=ProjectQueryParams(project_id=foreign, sql=sql))
    assert isinstance(refused, InvalidQueryError) and isinstance(forbidden, ForbiddenError)
    result = {
        "projects": [str(project.project_id) for project in listed],
        "columns": [column.name for column in described.columns or []],
        "rows": rows,
        "pages": pages,
        "url": exported.url,
        "bytes": [exported.bytes_, len(file)],
        "sha256": hashlib.sha256(file).hexdigest(),
        "refused": [refused.class_, refused.data.rule],
        "forbidden": forbidden.class_,
    }
    print(json.dumps(result))
