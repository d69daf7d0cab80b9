import { PawlError } from "@pawl/core";
import { afterEach, expect, it, vi } from "vitest";
import { errorReporter } from "../src/base/failures.ts";
import { unifiedContext } from "../src/index.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("U6 errors are printed with the link to their page", async () => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const error = new PawlError("store_unavailable", "The goals cannot be read.");
  errorReporter("initializer")(error, {} as never);
  const context = unifiedContext({ sections: [{ tag: "goals", fetch: () => Promise.reject(error) }] });
  await context({ signal: AbortSignal.timeout(1_000) } as never);
  const link = "(https://github.com/pawl-js/pawl/blob/main/docs/errors/store_unavailable.md)";
  expect(printed.mock.calls).toEqual([
    [`initializer: The goals cannot be read. ${link}`],
    [`context, goals: The goals cannot be read. ${link}`],
  ]);
});
