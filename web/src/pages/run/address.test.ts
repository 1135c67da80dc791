import { expect, it } from "vitest";
import { safeAddress } from "./address";

it("only web addresses become links", () => {
  expect(safeAddress("https://logs.example.com/a?b=1")).toBe("https://logs.example.com/a?b=1");
  expect(safeAddress("javascript:alert(1)")).toBeNull();
  expect(safeAddress(" JaVaScRiPt:alert(1)")).toBeNull();
  expect(safeAddress("data:text/html,<script>")).toBeNull();
  expect(safeAddress("file:///etc/passwd")).toBeNull();
  expect(safeAddress("/logs/1")).toBeNull();
  expect(safeAddress(null)).toBeNull();
});
