import json
import os
import sys

import jsonrpcclient
import requests
from tinyrpc import RPCClient
from tinyrpc.protocols.jsonrpc import JSONRPCError, JSONRPCProtocol
from tinyrpc.transports.http import HttpPostClientTransport

URL = os.environ["FOLDGATE_URL"]
HEADERS = {"Authorization": f"Bearer {os.environ['FOLDGATE_KEY']}"}


def by_jsonrpcclient():
    def call(method, params):
        request = jsonrpcclient.request(method, params)
        answer = jsonrpcclient.parse(requests.post(URL, json=request, headers=HEADERS).json())
        if isinstance(answer, jsonrpcclient.Ok):
            return {"result": answer.result}
        return {"error": {"code": answer.code, "message": answer.message, "data": answer.data}}

    return call


def by_tinyrpc():
    client = RPCClient(JSONRPCProtocol(), HttpPostClientTransport(URL, headers=HEADERS))

    def call(method, params):
        try:
            return {"result": client.call(method, [], params or {})}
        except JSONRPCError as error:
            code = error._jsonrpc_error_code  # which has no public name
            return {"error": {"code": code, "message": error.message, "data": error.data}}

    return call


call = {"jsonrpcclient": by_jsonrpcclient, "tinyrpc": by_tinyrpc}[sys.argv[1]]()
for line in sys.stdin:
    asked = json.loads(line)
    try:
        outcome = call(asked["method"], asked.get("params"))
    except Exception as error:
        outcome = {"error": {"message": str(error)}}
    print(json.dumps(outcome), flush=True)
