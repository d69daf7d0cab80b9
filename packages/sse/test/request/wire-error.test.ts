import { agent, memoryStore, PawlError, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { handler, responseTo } from "../../src/index.ts";

it("U5 prints the link to a failure's page on the console, and never sends it", async () => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => printed.mockRestore());
  const failure = new PawlError("store_unavailable", "The pool is empty.");
  const serve = handler({
    runtime: runtime({
      agents: [agent({ name: "a", model: scriptedModel([]), instructions: "Help." })],
      store: memoryStore(),
    }),
    agent: "a",
    authorize: () => {
      throw failure;
    },
  });
  const response = await serve(new Request("http://h/sessions"));
  expect(response.status).toBe(503);
  expect(await response.text()).not.toMatch(/github|help/);
  expect(failure.help).toMatch(/\/docs\/errors\/store_unavailable\.md$/);
  expect(printed.mock.calls).toEqual([[`pawl: The pool is empty. (${failure.help})`]]);
});

it.each(["not_found", "invalid_input", "draining"] as const)(
  "U5 the body of %s has no link",
  async (code) => {
    const response = responseTo(new PawlError(code, "No."));
    expect(await response.json()).toEqual({ error: { code, message: "No." } });
  },
);
