"""Calls named queries through the client that openapi-generator writes for Python."""

import json
import os

import queries_client
from pydantic import ValidationError
from queries_client.models import (
    AmountsOfV3Parameters,
    AmountsOfV3Params,
    FloatingNumber,
    InvalidParamsError,
    NumbersV1Parameters,
    NumbersV1Params,
    WideInteger,
)

project = os.environ["PROJECT"]
configuration = queries_client.Configuration(os.environ["FOLDGATE_URL"], access_token=os.environ["FOLDGATE_KEY"])


def failure(queries: queries_client.QueriesApi, parameters: AmountsOfV3Parameters):
    try:
        queries.amounts_of_v3(AmountsOfV3Params(project_id=project, parameters=parameters))
    except queries_client.ApiException as error:
        return error.data.actual_instance
    raise AssertionError("the call succeeded")


with queries_client.ApiClient(configuration) as client:
    queries = queries_client.QueriesApi(client)
    values = AmountsOfV3Parameters(item="water", least=FloatingNumber(20.0), entities=["half", "joint", None])
    asked = AmountsOfV3Params(project_id=project, parameters=values)
    rows = queries.amounts_of_v3(asked).result.actual_instance.items
    asked.format = "csv"
    file = queries.amounts_of_v3(asked).result.actual_instance
    below = NumbersV1Params(project_id=project, parameters=NumbersV1Parameters(below=WideInteger("3")))
    numbers = queries.numbers_v1(below).result.actual_instance.items
    try:
        AmountsOfV3Parameters(item="fire")
        raise AssertionError("the item was taken")
    except ValidationError:
        pass
    refused = failure(queries, AmountsOfV3Parameters.model_construct(item="fire"))
    assert isinstance(refused, InvalidParamsError)
    result = {
        "keys": [row.entity_key for row in rows],
        "amounts": [row.amount.actual_instance for row in rows],
        "file": file.rows,
        "numbers": numbers,
        "refused": [refused.var_class, refused.data.path],
    }
    print(json.dumps(result, default=str))
