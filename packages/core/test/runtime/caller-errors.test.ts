import { inspect } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { allowFailedHooks, named } from "../support/hooks.ts";
import { setup, until } from "../support/setup.ts";

beforeEach(allowFailedHooks);

const TOKEN = "tok_4f2c9a7e1b8d6053";
const credentials = { token: TOKEN };

/** An error as HTTP clients throw them: the request with its headers, in a chain of causes. */
function httpError(): Error {
  const request = { url: "https://api.test", headers: { authorization: `Bearer ${TOKEN}` } };
  const refused = Object.assign(new Error("401"), { request });
  const both = new AggregateError([refused, new Error(`retried with ${TOKEN}`)], "no answer");
  return new Error("Cannot load the workspace.", { cause: new Error("Bad gateway", { cause: both }) });
}

const all = (error: unknown) => inspect(error, { depth: 12, showHidden: true });

describe("F17 errors that reach the application", () => {
  it.each<[string, Parameters<typeof setup>[1], Parameters<typeof setup>[2]]>([
    ["deps", {}, { deps: () => Promise.reject(httpError()) }],
    ["a hook", { hooks: [named("load", { beforeTurn: () => Promise.reject(httpError()) })] }, {}],
  ])("have no credentials in their causes and fields: %s", async (_, options, runtime) => {
    const reported: unknown[] = [];
    const world = setup([], options, { ...runtime, onError: (error) => reported.push(error) });
    const { stop } = await world.say("Go", { credentials });
    expect(stop.type).toBe("error");
    expect(all(reported)).toContain("Cannot load the workspace.");
    expect(all(reported)).toContain("Bad gateway");
    expect(all(reported)).toContain("no answer");
    expect(all(reported)).not.toContain(TOKEN);
  });

  it("have none in the cause of `tools_failed`, for the caller and for `onError`", async () => {
    const world = setup([], { tools: () => Promise.reject(httpError()) });
    const error: unknown = await world.say("Go", { credentials }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "tools_failed", message: expect.stringContaining("the workspace.") });
    expect(all(error)).toContain("Bad gateway");
    expect(all(error)).not.toContain(TOKEN);
  });

  it("have none if `userData` failed, in the hook's `onError` and in the log", async () => {
    const reported: unknown[] = [];
    const spy = named("spy", { onError: (error) => void reported.push(error) });
    const userData = () => Promise.reject(new Error(`401 for ${TOKEN}`, { cause: httpError() }));
    const world = setup([{ text: "Done." }], { hooks: [spy], userData: { read: userData } });
    const { sessionId } = await world.say("Go", { credentials });
    expect(all(reported)).toContain("401 for …");
    expect(all([reported, await world.log(sessionId)])).not.toContain(TOKEN);
  });

  it("have none if a hook's `onError` fails after the run has ended, whose error is logged last", async () => {
    const hook = named("report", {
      onError: () => {
        throw new Error(`401 for ${TOKEN}`);
      },
    });
    // A limit is an error that hooks get once the run has ended, and its lease is released.
    const script = [{ tools: [{ name: "none", input: {} }] }];
    const world = setup(script, { hooks: [hook], limits: { turns: 1 } });
    const { sessionId } = await world.say("Go", { credentials });
    await until(async () => (await world.of(sessionId, "error")).length > 1);
    const log = JSON.stringify(await world.log(sessionId));
    expect([log.includes(TOKEN), log.includes("401 for …")]).toEqual([false, true]);
  });

  it("are those of the application if they repeat none", async () => {
    const error = new Error("down", { cause: new Error("no route") });
    const reported: unknown[] = [];
    const options = { deps: () => Promise.reject(error), onError: (one: unknown) => reported.push(one) };
    await setup([], {}, options).say("Go", { credentials });
    expect(reported[0]).toBe(error);
  });
});

describe("F17 everything in `credentials` counts as secret", () => {
  it("also addresses and ids of 16 and more characters, which belong into `caller`", async () => {
    const [url, id] = ["https://api.example.com/v1", "7d9f2c52-6f43-4d8e-9d4b-0c1f5a3e2b10"];
    const asked = async (given: object) => {
      const world = setup([{ text: "Done." }], {
        hooks: [
          named("spy", {
            beforeRun: async ({ append }) =>
              void (await append({ type: "note", data: { text: `${url} ${id}` } })),
          }),
        ],
      });
      const { sessionId } = await world.say("Go", given);
      return (await world.of(sessionId, "note"))[0]?.data.text;
    };
    expect(await asked({ credentials: { token: TOKEN, url, id } })).toBe("… …");
    expect(await asked({ caller: { url, id }, credentials: { token: TOKEN } })).toBe(`${url} ${id}`);
  });
});
