import { expect, it } from "vitest";
import { placeOf } from "./place";

const at = (namespace: string, rest: string, storage: string | null = null) => placeOf({ namespace, rest, storage });

it("begins with what is next to the title, and says the kind of storage once", () => {
  const db = "postgres://db.shop.example.com:5432";
  expect(at(db, `${db}:shop.public`, "postgres")).toBe("shop.public · db.shop.example.com:5432");
  expect(at("s3://lake", "s3://lake", "s3")).toBe("lake");
  expect(at("looker", "looker:chart", "looker")).toBe("chart");
});

it("keeps the whole location where no kind of storage stands before it", () => {
  expect(at("spark://shop", "spark://shop:build_reports")).toBe("build_reports · spark://shop");
  expect(at("etl", "etl")).toBe("etl");
  expect(at("etl", "0190c0de")).toBe("0190c0de · etl");
});
