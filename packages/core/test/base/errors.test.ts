import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { memoryStore, PawlError, tool } from "../../src/index.ts";
import { setup, user } from "../support/setup.ts";

const { repository } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const site = repository.url.replace(/^git\+|\.git$/g, "");
const link = `${site}/blob/main/docs/errors/config.md`;

it("U5 an error has a link to the page of its code, and Node prints it", () => {
  const error = new PawlError("config", "No model.");
  expect(error.help).toBe(link);
  expect(error.message).toBe("No model.");
  expect(inspect(error)).toContain(`help: '${link}'`);
});

it("U5 the link follows the message on a console, if an error has one", () => {
  expect(PawlError.describe(new PawlError("config", "No model."))).toBe(`No model. (${link})`);
  expect(PawlError.describe(new TypeError("No."))).toBe("No.");
  expect(PawlError.describe("no error")).toBe("no error");
  const older = Object.assign(new PawlError("config", "Old."), { help: undefined });
  expect(PawlError.describe(older)).toBe("Old.");
});

it("U5 a text from outside does not reach a console's terminal with its control characters", () => {
  const error = new Error("\u001b]0;owned\u0007 \u009b2J\u007f\r gone\n\tkept\r\nkept é 👤");
  expect(PawlError.describe(error)).toBe(
    "\\u001b]0;owned\\u0007 \\u009b2J\\u007f\\u000d gone\n\tkept\r\nkept é 👤",
  );
});

it("U5 JSON of an error has the fields that it had, without the link", () => {
  const error = new PawlError("config", "No model.", { details: { at: 1 } });
  expect(JSON.parse(JSON.stringify({ error }))).toEqual({
    error: { name: "PawlError", code: "config", details: { at: 1 } },
  });
});

it("U5 the runtime prints the link to a failure without a caller", async () => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => printed.mockRestore());
  const { say } = setup(
    [{ text: "Hi." }],
    {},
    {
      deps: () => {
        throw new PawlError("config", "No database.");
      },
    },
  );
  expect((await say("Hi")).stop?.type).toBe("error");
  expect(printed.mock.calls).toEqual([[`pawl: No database. (${link})`]]);
});

it("U5 neither the model, nor the user, nor the log gets the link", async () => {
  expectPrinted("pawl: No key.");
  const failure = () => new PawlError("not_found", "No such plan.");
  const input = z.object({});
  const throws = tool({
    name: "throws",
    description: "Throws.",
    input,
    execute: () => {
      throw failure();
    },
  });
  const returns = tool({
    name: "returns",
    description: "Returns.",
    input,
    execute: () => ({ error: failure() }),
  });
  const store = memoryStore();
  const { pawl, model, say, log } = setup(
    [
      {
        tools: [
          { name: "throws", input: {} },
          { name: "returns", input: {} },
        ],
      },
      { fault: { status: 401, type: "authentication_error", message: "No key." } },
    ],
    { tools: [throws, returns] },
    { store },
  );
  const { sessionId } = await say("Hi");
  const all = JSON.stringify([model.requests, await log(sessionId), await pawl.view(sessionId, user)]);
  expect(all).toContain("No such plan.");
  expect(all).not.toContain("docs/errors");
});
