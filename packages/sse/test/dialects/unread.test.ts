import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { trainer } from "../../src/dialects.ts";
import type { Dialect } from "../../src/index.ts";
import { serve } from "../support/served.ts";

it("W2 the app is warned once about each kind of data that clients send and the agent does not read", async () => {
  const warnings: string[] = [];
  const plain = trainer();
  const dialect: Dialect = {
    ...plain,
    parse: async (body, limits, earlier) => ({
      ...(await plain.parse(body, limits, earlier)),
      unread: ["`tools` are not read.", "`context` is not read."],
    }),
  };
  const model = scriptedModel([{ text: "Hello." }, { text: "Hello." }]);
  const served = await serve(model, { dialect, onWarning: (message) => warnings.push(message) });
  for (const message of ["Hi", "Again"]) {
    const response = await served.ask("/runs", { json: { message } });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("done")]);
  }
  expect(warnings).toEqual(["`tools` are not read.", "`context` is not read."]);
});
