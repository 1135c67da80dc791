import { describe, expect, it } from "vitest";
import { datasetOf, partsOf, routeOf, titleOf, toldApart } from "./names";

describe("an id", () => {
  it("is cut into namespace and name, colons of an address belonging to the namespace", () => {
    const parts = partsOf("dataset:postgres://db.shop.example.com:5432:shop.public.orders");
    expect(parts).toEqual({
      kind: "dataset",
      namespace: "postgres://db.shop.example.com:5432",
      name: "shop.public.orders",
      column: null,
      title: "orders",
      rest: "shop.public · postgres://db.shop.example.com:5432",
    });
    expect(partsOf("dataset:kafka://b1:9092,b2:9092:orders").namespace).toBe("kafka://b1:9092,b2:9092");
    expect(partsOf("dataset:s3://lake:sales/daily").title).toBe("daily");
  });

  it("of a version of an overlay is that version, whatever characters it has", () => {
    for (const version of ["ab/cd==", "a:b", "a.b", "c#1 x", "/"]) {
      const own = { namespace: "overlay:prod", name: version, column: null, title: version, rest: "overlay:prod" };
      expect(partsOf(`dataset:overlay:prod:${version}`)).toEqual({ kind: "dataset", ...own });
    }
    expect(partsOf("job:overlay:prod:publish::ab/cd==").title).toBe("publish::ab/cd==");
  });

  it("of a column has the column, and leads to its dataset", () => {
    const id = "dataset:s3://lake:sales/daily#amount";
    expect(partsOf(id)).toMatchObject({ kind: "column", column: "amount", title: "daily.amount" });
    expect(datasetOf(id)).toBe("dataset:s3://lake:sales/daily");
  });

  it("of another kind is its own title", () => {
    expect(partsOf("user:etl")).toMatchObject({ kind: "user", title: "etl", rest: "" });
    expect(partsOf("run:432bec6b-c1b9-583b-a5a0-51124e4ee377").kind).toBe("run");
    expect(partsOf("<img onerror>").title).toBe("<img onerror>");
  });

  it("is escaped for a path but for its slashes", () => {
    expect(routeOf("datasets", "dataset:s3://a b:x#y?")).toBe("/api/v2/datasets/dataset%3As3%3A//a%20b%3Ax%23y%3F");
    expect(routeOf("datasets", "dataset:overlay:prod:a/../b")).toBe(
      "/api/v2/datasets/dataset%3Aoverlay%3Aprod%3Aa%2F..%2Fb",
    );
  });
});

it("tool-made parts of a job's name are left out, but never the whole name", () => {
  expect(titleOf("app.execute_insert_into_hadoop_fs_relation_command.warehouse_orders", "job")).toEqual({
    title: "warehouse_orders",
    rest: "app",
  });
  expect(titleOf("app.adaptive_spark_plan", "job").title).toBe("app");
  expect(titleOf("adaptive_spark_plan", "job").title).toBe("adaptive_spark_plan");
  expect(titleOf("", "job").title).toBe("");
});

it("a column of all rows is called like its dataset", () => {
  expect(partsOf("column:s3://lake:ml/churn#")).toMatchObject({ kind: "column", title: "churn", column: "" });
});

describe("several things told apart", () => {
  it("get as much of their names as it takes, and no more", () => {
    const ids = ["dataset:s3://a:core/sales", "dataset:s3://a:p/acme/orders", "dataset:s3://a:p/globex/orders"];
    expect(toldApart(ids)).toEqual(["sales", "acme/orders", "globex/orders"]);
    expect(toldApart(["dataset:pg://h:1:a.x.t", "dataset:pg://h:1:b.x.t"])).toEqual(["a.x.t", "b.x.t"]);
  });

  it("of the same name are told apart by where they are", () => {
    expect(toldApart(["dataset:s3://a:t", "dataset:s3://b:t"])).toEqual(["t · s3://a", "t · s3://b"]);
    expect(toldApart(["dataset:s3://a:t", "dataset:s3://a:t"])).toEqual(["t", "t"]);
  });
});
