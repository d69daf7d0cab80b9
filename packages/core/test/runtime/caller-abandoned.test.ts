import { describe, expect, it } from "vitest";
import { jsonSchema, memoryStore, type RunOptions, tool } from "../../src/index.ts";
import { named } from "../support/hooks.ts";
import { type Options, setup, until, user } from "../support/setup.ts";
import { dyingStore, has } from "../support/stores.ts";

const ada = { caller: { name: "ada" }, credentials: { token: "tok_ada_4f2c9a7e1b8d6053" } };
const ben = { caller: { name: "ben" }, credentials: { token: "tok_ben_91c3d5e7f9a1b3c5" } };
const look = tool({
  name: "look",
  description: "Looks.",
  input: jsonSchema({ type: "object" }),
  execute: () => "looked",
});

/** A run that its process has left after a tool, and another process. `seen` has who asked for its turns. */
async function abandoned(first: Partial<RunOptions>, options: Options = {}) {
  let clock = 0;
  const store = memoryStore({ now: () => clock });
  const dying = dyingStore(store, (events) => has(events, "tool_result"));
  const before = setup([{ tools: [{ name: "look", input: {} }] }], { tools: [look] }, { store: dying });
  const { sessionId, runId } = await before.pawl.run("tester", { ...user, input: "Go", ...first }).started;
  await until(() => dying.dead);
  clock += 60_000;
  const seen: unknown[] = [];
  const spy = named("spy", {
    beforeTurn: (_plan, { caller, credentials }) => void seen.push([caller, credentials]),
  });
  const script = [{ text: "Done." }, { text: "Done." }];
  const { pawl } = setup(script, { tools: [look], hooks: [spy], ...options }, { store });
  const pending = async () => (await pawl.view(sessionId, user)).pending;
  const kinds = async () => (await pending()).map(({ kind }) => kind);
  const request = async (more: Partial<RunOptions>) =>
    await pawl.run("tester", { ...user, sessionId, ...more } as RunOptions).result.catch(() => undefined);
  const read = async (from: Partial<Pick<RunOptions, "caller" | "credentials">>) =>
    void (await Array.fromAsync(pawl.follow(sessionId, { ...from, resume: true, untilIdle: true })));
  const answer = async (more: Partial<RunOptions>) =>
    await request({ answers: (await pending()).map(({ callId }) => ({ callId, value: true })), ...more });
  return { pawl, sessionId, runId, seen, kinds, request, read, answer };
}

describe("F17 a run that another process has left gets no credentials of another caller", () => {
  it("whose message is queued for it", async () => {
    const { seen, kinds, request, answer } = await abandoned(ada, { whenBusy: "queue" });
    await request({ input: "And?", ...ben });
    expect([seen, await kinds()]).toEqual([[], ["credentials"]]);
    await answer(ada);
    expect(seen[0]).toEqual([ada.caller, ada.credentials]);
  });

  it("whose message is refused, but resumes it", async () => {
    const { seen, kinds, request } = await abandoned(ada);
    await request({ input: "And?", ...ben });
    expect([seen, await kinds()]).toEqual([[], ["credentials"]]);
  });

  it("from a message without a caller", async () => {
    const { seen, kinds, request } = await abandoned(ada);
    await request({ input: "And?", credentials: ben.credentials });
    expect([seen, await kinds()]).toEqual([[], ["credentials"]]);
  });

  it("who retries it", async () => {
    const { seen, kinds, request, runId } = await abandoned(ada);
    await request({ retry: runId, ...ben } as object);
    expect([seen, await kinds()]).toEqual([[], ["credentials"]]);
  });

  it("from a reader, also once the run asks", async () => {
    const { seen, kinds, read, answer } = await abandoned(ada);
    await read(ben);
    expect([seen, await kinds()]).toEqual([[], ["credentials"]]);
    // An answer brings a caller of its own, to whom the run belongs from then on.
    await answer(ben);
    expect(seen).toEqual([[ben.caller, ben.credentials]]);
  });

  it("although it had no caller and no credentials itself", async () => {
    const { seen, request } = await abandoned({}, { whenBusy: "queue" });
    await request({ input: "And?", ...ben });
    expect(seen).toEqual([[{}, undefined]]);
  });
});

describe("F17 a run that another process has left gets the credentials of its own caller", () => {
  it.each([
    ["who says the same", ada],
    ["who says it in another order and repeats the token", {}],
  ])("%s", async (_name, { caller = { token: "tok_ada_4f2c9a7e1b8d6053", name: "ada" } }: RunCaller) => {
    const stored = { ...ada, caller: Object.fromEntries(Object.entries(caller).reverse()) };
    const { seen, read } = await abandoned(stored);
    await read({ ...ada, caller });
    expect(seen).toMatchObject([[{ name: "ada" }, ada.credentials]]);
  });

  it("whose message is queued for it", async () => {
    const { seen, request } = await abandoned(ada, { whenBusy: "queue" });
    await request({ input: "And?", ...ada });
    expect(seen).toEqual([[ada.caller, ada.credentials]]);
  });
});

type RunCaller = Partial<Pick<RunOptions, "caller">>;

it("F17 a caller that repeats a token is stored without it, also with an answer", async () => {
  const caller = { name: "ben", header: `Bearer ${ben.credentials.token}` };
  const { pawl, sessionId, read, answer } = await abandoned(ada);
  await read({});
  await answer({ ...ben, caller });
  const log = JSON.stringify(await Array.fromAsync(pawl.store.read(sessionId)));
  expect([log.includes(ben.credentials.token), log.includes("Bearer …")]).toEqual([false, true]);
});
