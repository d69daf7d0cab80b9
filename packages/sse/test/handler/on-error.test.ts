import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { handler } from "../../src/index.ts";

it.each<[string, boolean]>([
  ["throws", false],
  ["returns a promise that rejects", true],
])("B8 U5 a request is answered as if nothing was wrong with `onError`, if that %s", async (_, isLate) => {
  expectPrinted("pawl: onError failed: no log");
  const coach = agent({ name: "coach", model: scriptedModel(() => ({ text: "Hi." })), instructions: "i" });
  const serve = handler({
    runtime: runtime({ agents: [coach], store: memoryStore() }),
    agent: "coach",
    authorize: () => {
      throw new Error("The users' database is down.");
    },
    onError: () => {
      if (isLate) return Promise.reject(new Error("no log")) as never;
      throw new Error("no log");
    },
  });
  const response = await serve(new Request("http://localhost/sessions"));
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ error: { code: "internal" } });
});
