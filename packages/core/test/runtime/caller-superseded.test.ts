import { beforeEach, describe, expect, it } from "vitest";
import { jsonSchema, tool } from "../../src/index.ts";
import { allowFailedHooks, named } from "../support/hooks.ts";
import { setup } from "../support/setup.ts";

beforeEach(allowFailedHooks);

const [ADA, BEN] = ["tok_ada_4f2c9a7e1b8d6053", "tok_ben_91c3d5e7f9a1b3c5"];
const ada = { caller: { name: "ada" }, credentials: { token: ADA } };
const ben = { caller: { name: "ben" }, credentials: { token: BEN } };

const ask = tool({
  name: "ask",
  description: "Asks.",
  input: jsonSchema({ type: "object" }),
  suspends: { answer: jsonSchema<string>({ type: "string" }) },
});
const asking = [{ tools: [{ name: "ask", input: {} }] }, { text: "Done." }];

describe("F17 the hooks of a run that a new message replaces", () => {
  it("get that run's caller and its `deps`, and nothing of the new caller", async () => {
    const seen: unknown[] = [];
    const spy = named("spy", {
      onStop: (stop, { caller, credentials, deps }) => void seen.push([stop.type, caller, credentials, deps]),
      afterRun: ({ stop }, { caller, credentials, deps }) =>
        void seen.push([stop.type, caller, credentials, deps]),
    });
    const deps = (_session: unknown, run: object) => ({ ...run });
    const world = setup(asking, { tools: [ask], hooks: [spy] }, { deps });
    const { sessionId } = await world.say("Go", ada);
    await world.say("And?", { sessionId, ...ben });
    const old = { caller: ada.caller, credentials: undefined };
    const replaced = ["interrupted", old.caller, undefined, old];
    const ended = ["end_turn", ben.caller, ben.credentials, ben];
    expect(seen).toEqual([replaced, replaced, ended, ended]);
  });

  it("are called although `deps` needs the credentials, which no process has any more", async () => {
    const seen: unknown[] = [];
    const deps = (_session: unknown, { credentials }: { credentials: unknown }) => {
      if (credentials === undefined) throw new Error("no token");
      return credentials;
    };
    const reported: unknown[] = [];
    const spy = named("spy", { afterRun: (_result, { deps: given }) => void seen.push(given) });
    const world = setup(
      asking,
      { tools: [ask], hooks: [spy] },
      { deps, onError: (error) => reported.push(error) },
    );
    const { sessionId } = await world.say("Go", ada);
    expect((await world.say("And?", { sessionId, ...ben })).text).toBe("Done.");
    expect({ seen, reported }).toEqual({ seen: [undefined, ben.credentials], reported: [] });
  });

  it("store and report no credentials of the new message", async () => {
    const reported: string[] = [];
    const leaky = named("leaky", {
      onStop: async (_stop, { append }) =>
        void (await append({ type: "note", data: { text: `With ${BEN}.` } })),
      afterRun: ({ stop }) => {
        if (stop.type === "interrupted") throw new Error(`401 for ${BEN}`);
      },
      onError: ({ message }) => void reported.push(message),
    });
    const world = setup(asking, { tools: [ask], hooks: [leaky] });
    const { sessionId } = await world.say("Go", ada);
    await world.say("And?", { sessionId, ...ben });
    const notes = (await world.of(sessionId, "note")).map(({ data }) => data.text);
    expect(notes).toEqual(["With ….", "With …."]);
    expect(reported).toEqual([expect.stringContaining("401 for …")]);
    expect(JSON.stringify(await world.log(sessionId))).not.toContain(BEN);
  });
});
