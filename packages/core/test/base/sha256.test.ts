import { afterEach, expect, it, vi } from "vitest";
import { sha256 } from "../../src/base/sha256.ts";

afterEach(() => vi.restoreAllMocks());

it("C1 gives the same hash in Node and elsewhere", async () => {
  const here = await sha256("Grüße");
  vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
  expect(await sha256("Grüße")).toBe(here);
  expect(here).toMatch(/^[0-9a-f]{64}$/);
});
