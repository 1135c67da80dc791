"""Examples of the answers about pictures and edges, for the reference of the API; from the demo shop."""

from __future__ import annotations

from typing import Any

__all__ = ["EDGE", "PICTURE"]

PICTURE: dict[str, Any] = {
    "start": "dataset@0bda7228fa287068c405c7e9aa5d227b",
    "granularity": "DATASET",
    "direction": "both",
    "steps": 1,
    "as_of": None,
    "since": None,
    "until": None,
    "nodes": [
        {
            "key": "dataset@0bda7228fa287068c405c7e9aa5d227b",
            "id": "dataset:postgres://db.shop.example.com:5432:shop.public.customers",
            "kind": "dataset",
            "title": "public.customers",
            "rest": "postgres://db.shop.example.com:5432:shop",
            "namespace": "postgres://db.shop.example.com:5432",
            "name": "shop.public.customers",
            "storage": "postgres",
            "step": 0,
            "columns_total": 5,
            "columns": [
                {
                    "name": "email",
                    "key": "column@0bda7228fa287068c405c7e9aa5d227bde88ea7339f35e3b984ce3c99a85d9eb",
                    "type": "string",
                    "tags": [],
                    "lit": True,
                }
            ],
            "last_write": None,
            "tags": [],
            "owners": [],
            "exists": True,
            "reference_only": False,
            "more": {"upstream": 0, "downstream": 0},
            "state": None,
            "change": None,
        },
        {
            "key": "dataset@6a6b8f666cc04ff24aa28147fcf09f55",
            "id": "dataset:s3://shop-lake:clean/customers",
            "kind": "dataset",
            "title": "clean/customers",
            "rest": "s3://shop-lake",
            "namespace": "s3://shop-lake",
            "name": "clean/customers",
            "storage": "s3",
            "step": 1,
            "columns_total": 4,
            "columns": [
                {
                    "name": "email_hash",
                    "key": "column@6a6b8f666cc04ff24aa28147fcf09f5506dd493b4e586121e3fc2a92e57f13b6",
                    "type": "string",
                    "tags": [],
                    "lit": True,
                }
            ],
            "last_write": {
                "run": "run:3ec0ceb1-3119-56b6-983f-573f6eee234b",
                "status": "SUCCEEDED",
                "at": "2026-11-17T05:01:45.000Z",
                "rows": 4300,
            },
            "tags": [],
            "owners": [],
            "exists": True,
            "reference_only": False,
            "more": {"upstream": 0, "downstream": 1},
            "state": None,
            "change": None,
        },
    ],
    "flows": [
        {
            "from": "dataset@0bda7228fa287068c405c7e9aa5d227b",
            "to": "dataset@6a6b8f666cc04ff24aa28147fcf09f55",
            "via": ["job@21ceb4dacaf0bc0a0d4c0b1971670d6a"],
            "via_total": 1,
            "kinds": ["DIRECT"],
            "masked": False,
            "current": True,
            "first_seen": "2026-11-11T05:00:40.000Z",
            "last_seen": "2026-11-17T05:01:45.000Z",
            "columns_total": 4,
            "origins": ["openlineage"],
            "through": 0,
            "change": None,
        }
    ],
    "jobs": [
        {
            "key": "job@21ceb4dacaf0bc0a0d4c0b1971670d6a",
            "id": "job:spark://shop:load_shop.clean_customers",
            "title": "clean_customers",
            "rest": "spark://shop:load_shop",
            "namespace": "spark://shop",
            "name": "load_shop.clean_customers",
            "type": "SPARK_SQL_JOB",
            "application": "job@97906cac33d3a5d222d67fd55a1cd71e",
            "last_run": {
                "run": "run:3ec0ceb1-3119-56b6-983f-573f6eee234b",
                "status": "SUCCEEDED",
                "at": "2026-11-17T05:01:45.000Z",
            },
        }
    ],
    "columns": [
        {
            "from": "dataset@0bda7228fa287068c405c7e9aa5d227b",
            "from_column": "email",
            "to": "dataset@6a6b8f666cc04ff24aa28147fcf09f55",
            "to_column": "email_hash",
            "type": "DIRECT",
            "subtype": "TRANSFORMATION",
            "masked": False,
            "via": ["job@21ceb4dacaf0bc0a0d4c0b1971670d6a"],
            "current": True,
        }
    ],
    "left_out": {"nodes": 0, "flows": 0, "columns": 0, "hidden": 0, "expansions": []},
    "truncated": False,
    "freshness": None,
}
EDGE: dict[str, Any] = {
    "from": {
        "key": "dataset@0bda7228fa287068c405c7e9aa5d227b",
        "id": "dataset:postgres://db.shop.example.com:5432:shop.public.customers",
        "kind": "dataset",
        "namespace": "postgres://db.shop.example.com:5432",
        "name": "shop.public.customers",
        "title": "public.customers",
    },
    "to": {
        "key": "dataset@6a6b8f666cc04ff24aa28147fcf09f55",
        "id": "dataset:s3://shop-lake:clean/customers",
        "kind": "dataset",
        "namespace": "s3://shop-lake",
        "name": "clean/customers",
        "title": "clean/customers",
    },
    "as_of": None,
    "current": True,
    "first_seen": "2026-11-11T05:00:40.000Z",
    "last_seen": "2026-11-17T05:01:45.000Z",
    "origins": ["openlineage"],
    "producers": ["https://example.com"],
    "masked": False,
    "columns": [
        {
            "from_column": "email",
            "to_column": "email_hash",
            "type": "DIRECT",
            "subtype": "TRANSFORMATION",
            "stated": None,
            "masked": False,
            "expression": None,
            "origin": "facet",
            "via": "job@21ceb4dacaf0bc0a0d4c0b1971670d6a",
            "current": True,
        }
    ],
    "columns_total": 1,
    "jobs": [
        {
            "job": {
                "key": "job@21ceb4dacaf0bc0a0d4c0b1971670d6a",
                "id": "job:spark://shop:load_shop.clean_customers",
                "kind": "job",
                "namespace": "spark://shop",
                "name": "load_shop.clean_customers",
                "title": "clean_customers",
            },
            "type": "SPARK_SQL_JOB",
            "current": True,
            "sql": {
                "id": "sql:b9057eddedbaf62e7b4fca554fdfa584",
                "text": "SELECT customer_id, sha2(email, 256) AS email_hash FROM shop.public.customers",
                "is_cut": False,
                "dialect": "spark",
                "spans": [],
            },
            "first_run": {"run": "run:bcf69a25-90e3-5fae-86c9-740fe546f711", "at": "2026-11-11T05:00:40.000Z"},
            "last_run": {
                "run": "run:3ec0ceb1-3119-56b6-983f-573f6eee234b",
                "status": "SUCCEEDED",
                "at": "2026-11-17T05:01:45.000Z",
                "rows": 4300,
                "bytes": 275200,
                "files": 2,
            },
            "runs_total": 7,
            "rows": 31765,
            "bytes": 2032960,
            "files": 14,
        }
    ],
    "jobs_total": 1,
    "explanation": {
        "code": "transformation",
        "arguments": {
            "job": "clean_customers",
            "last_seen": "2026-11-17T05:01:45.000Z",
            "runs": 7,
            "column": "email_hash",
            "sources": "email",
            "subtype": "TRANSFORMATION",
            "expression": None,
        },
    },
}
