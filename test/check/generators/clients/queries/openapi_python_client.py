"""Calls named queries through the client that openapi-python-client writes."""

import json
import os
from uuid import UUID

from queries import AuthenticatedClient
from queries.api.queries import amounts_of_v3, numbers_v1
from queries.models import (
    AmountsOfV3Parameters,
    AmountsOfV3ParametersItem,
    AmountsOfV3Params,
    ExportFormat,
    InvalidParamsError,
    NumbersV1Parameters,
    NumbersV1Params,
)

project = UUID(os.environ["PROJECT"])

with AuthenticatedClient(base_url=os.environ["FOLDGATE_URL"], token=os.environ["FOLDGATE_KEY"]) as client:
    values = AmountsOfV3Parameters(
        item=AmountsOfV3ParametersItem.WATER, least=20.0, entities=["half", "joint", None]
    )
    asked = AmountsOfV3Params(project_id=project, parameters=values)
    rows = amounts_of_v3.sync(client=client, body=asked).result.items
    asked.format_ = ExportFormat.CSV
    file = amounts_of_v3.sync(client=client, body=asked).result
    below = NumbersV1Params(project_id=project, parameters=NumbersV1Parameters(below="3"))
    numbers = numbers_v1.sync(client=client, body=below).result.items
    try:
        AmountsOfV3ParametersItem("fire")
        raise AssertionError("the item was taken")
    except ValueError:
        pass
    values.item = type("Item", (), {"value": "fire"})
    refused = amounts_of_v3.sync(client=client, body=AmountsOfV3Params(project_id=project, parameters=values))
    assert isinstance(refused, InvalidParamsError)
    result = {
        "keys": [row.entity_key for row in rows],
        "amounts": [row.amount for row in rows],
        "file": file.rows,
        "numbers": [row.to_dict() for row in numbers],
        "refused": [refused.class_, refused.data.path],
    }
    print(json.dumps(result))
