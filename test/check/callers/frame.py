"""Checks the types of frames against those of the statement, with and without rows."""

import datetime
from decimal import Decimal

import pyarrow
from analytics import Analytics

UTC = datetime.timezone.utc
TYPES = {
    "day": pyarrow.date32(),
    "moment": pyarrow.timestamp("us"),
    "instant": pyarrow.timestamp("us", tz="UTC"),
    "price": pyarrow.decimal128(10, 2),
    "big": pyarrow.int64(),
    "small": pyarrow.int32(),
    "parts": pyarrow.list_(pyarrow.int32()),
    "label": pyarrow.string(),
}
SQL = """SELECT * FROM (VALUES
  (DATE '2026-11-20', TIMESTAMP '2026-11-20 01:02:03.5', TIMESTAMPTZ '2026-11-20 01:02:03Z', 12.50::DECIMAL(10, 2),
    9007199254740993, 1, [1, 2], 'a'),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
) AS t(day, moment, instant, price, big, small, parts, label) ORDER BY day NULLS LAST"""

service = Analytics()
project = next(each for each in service.pages("projects/list") if each["state"] == "computed")["projectId"]


def types_of(frame) -> dict:
    return {name: dtype.pyarrow_dtype for name, dtype in frame.dtypes.items()}


def same(types: dict) -> bool:
    # The name of a list's field is the writer's own.
    return list(types) == list(TYPES) and all(types[name].equals(TYPES[name]) for name in TYPES)


full = service.frame(project, SQL)
assert same(types_of(full)), types_of(full)
assert len(full) == 2 and full.isna().all(axis=1).tolist() == [False, True]
row = full.iloc[0]
assert row["day"] == datetime.date(2026, 11, 20)
assert row["moment"] == datetime.datetime(2026, 11, 20, 1, 2, 3, 500000)
assert row["instant"] == datetime.datetime(2026, 11, 20, 1, 2, 3, tzinfo=UTC)
assert row["price"] == Decimal("12.50") and (full["price"] * 2).iloc[0] == 25
assert row["big"] == 9007199254740993 and row["small"] == 1

none = service.frame(project, f"SELECT * FROM ({SQL}) WHERE label = 'b'")
assert same(types_of(none)) and len(none) == 0, types_of(none)
print("as expected")
