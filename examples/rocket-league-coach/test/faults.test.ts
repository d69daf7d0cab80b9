import { memoryStore } from "@pawl/core";
import type { Rules } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { served } from "../../../packages/remote/test/support/served.ts";
import { pause } from "../../../test/support/pause.ts";
import { settled } from "../../../test/support/settled.ts";
import { sharedTokens } from "../src/main/tokens.ts";
import {
  aspEvents,
  type Billed,
  billing,
  bodyOf,
  type CoachingOptions,
  tokenOf,
} from "./support/coaching.ts";
import { type Act, type Passing, proxy } from "./support/proxy.ts";
import { expectNoSecrets, logOf, sessionOf, setUp } from "./support/set-up.ts";

const { coach, newUser } = setUp("faulty");

/** Reads the notes, by whatever name there is a tool for it, and then repeats what it has read. */
const reading: Rules = ({ messages, tools = [] }, { turn }) => {
  if (turn > 0) return { thinking: "Say what came.", text: JSON.stringify(messages.at(-1)).slice(0, 600) };
  const name = tools.map((tool) => String(tool.name)).find((one) => /^(get|read)_coaching_notes$/.test(one));
  return { thinking: "Notes first.", tools: [{ name: name ?? "", input: {} }] };
};

/** A front server and its backend over HTTP, with something between them that fails. */
async function faulty(act: Act, options: Partial<CoachingOptions> = {}) {
  const user = newUser();
  const errors: unknown[] = [];
  const model = billing({ rules: reading });
  const of = await coach({
    model,
    onError: (error) => errors.push(error),
    overHttp: async (backend) => await proxy(await served(backend.fetch), act),
    ...options,
  });
  const say = async (more: object = {}, token = tokenOf(user)) => {
    const response = await of.chat({ message: "What do you know of me?", ...more }, token);
    return { response, events: response.ok ? await aspEvents(response.clone()) : [] };
  };
  return { of, user, model, errors, say };
}

const END = { type: "message_stop", stop_reason: "end_turn" };
const resultIn = (events: readonly { type: string }[]) => events.find(({ type }) => type === "tool_result");
const isTool = ({ path }: Passing) => path.endsWith("/tools/execute");
const toldTo = ({ requests }: Billed, at: number) => JSON.stringify(requests[at]?.messages.at(-1));
const answer = (status: number, text: string) => async () => ({ status, text });

/** Lists the tools with a time limit that a test can wait for. */
const impatient: Act = async ({ send }) => {
  const { status, text } = await send();
  return { status, text: text.replaceAll(/"timeout_ms":\d+/g, '"timeout_ms":100') };
};

const faults: [string, Act, RegExp][] = [
  [
    "goes away",
    async ({ response }) => void response.socket?.destroy(),
    /The outcome of this call is unknown: the connection to the tool's server broke off/,
  ],
  ["is slow", async () => undefined, /the tool's server has not answered within 2100 ms/],
  [
    "answers 500, with the request in it",
    async ({ authorization }) => ({ status: 500, text: `<html>500 ${authorization}</html>` }),
    /the tool's server failed \(500\)/,
  ],
  [
    "answers with half of its JSON",
    async ({ authorization }) => ({ status: 200, text: `{"tool_name":"x","result":["${authorization}` }),
    /answered with something other than JSON with a `result`/,
  ],
  [
    "answers with a result of 10 MB",
    async () => ({ status: 200, text: JSON.stringify({ tool_name: "x", result: "x".repeat(10_000_000) }) }),
    /its result has more than 1000000 bytes/,
  ],
  [
    "gets a wrong bearer",
    async ({ send }) => await send({ authorization: "Bearer wrong_0123456789abcdef" }),
    /Not run: the tool's server did not accept the user's credentials/,
  ],
];

describe("X3 T10 a tool's backend fails over HTTP", () => {
  it.each(faults)(
    "X3 T10 E10 if it %s, the model reads a clear error, and the next message finds all in order",
    async (_, fault, says) => {
      let isFaulty = true;
      const { of, user, model, errors, say } = await faulty(async (passing) => {
        if (passing.path.endsWith("/tools/schema")) return await impatient(passing);
        return isFaulty && isTool(passing) ? await fault(passing) : await passing.send();
      });
      const { response, events } = await say();
      // People read that it did not work, and the model reads why.
      expect(resultIn(events)).toMatchObject({ is_error: true });
      expect(toldTo(model, 1)).toMatch(says);
      expect(events.at(-1)).toEqual(END);
      isFaulty = false;
      const next = await say({ session_id: sessionOf(response) });
      expect(resultIn(next.events)).not.toHaveProperty("is_error", true);
      expect(next.events.at(-1)).toEqual(END);
      expect(model.rejected).toEqual([]);
      expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
      expect(JSON.stringify(await logOf(of, sessionOf(response))).length).toBeLessThan(100_000);
      await expectNoSecrets(of, user, [errors, events, next.events]);
    },
  );

  it("X3 E10 if all of it is down from a tool's call on, the run ends once it is back, and is charged", async () => {
    let now = Date.now();
    const dropped: string[] = [];
    let isDown = false;
    const { of, user, model, errors, say } = await faulty(
      async (passing) => {
        isDown ||= isTool(passing) && dropped.length === 0;
        if (!isDown) return await passing.send();
        dropped.push(passing.path);
        throw new Error("down");
      },
      { store: memoryStore({ now: () => now }), leaseTtlMs: 2_000 },
    );
    const saying = say();
    const settling = () => dropped.filter((path) => path.endsWith("/chat/abort")).length;
    await expect.poll(settling, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    await settled();
    isDown = false;
    now += 60_000;
    expect(await of.front.runtime.sweep()).toBe(1);
    const { response, events } = await saying;
    expect(resultIn(events)).toMatchObject({ is_error: true });
    const message = "The coach's data cannot be reached at the moment. Please try again.";
    expect(events.at(-1)).toEqual({ type: "error", message });
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    const next = await say({ session_id: sessionOf(response) });
    expect(resultIn(next.events)).not.toHaveProperty("is_error", true);
    expect(next.events.at(-1)).toEqual(END);
    expect(model.rejected).toEqual([]);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    await expectNoSecrets(of, user, [errors, events, next.events]);
  });

  it("X3 F17 E10 if the bearer expires in the middle of a run, it ends clearly, and a new one continues", async () => {
    const tokens = sharedTokens("secret_of_tokens_0123");
    const shortLived = await tokens.issue("ada-jwt", 5);
    const { exp } = JSON.parse(Buffer.from(shortLived.split(".")[1] ?? "", "base64url").toString());
    const { of, model, errors, say } = await faulty(
      async (passing) => {
        if (isTool(passing) && passing.authorization.endsWith(shortLived))
          await pause(exp * 1_000 - Date.now() + 50, "the bearer expires");
        return await passing.send();
      },
      { authenticate: tokens.userOf },
    );
    const { response, events } = await say({}, shortLived);
    expect(resultIn(events)).toMatchObject({ is_error: true });
    expect(toldTo(model, 1)).toContain("The user has to sign in again.");
    expect(events.at(-1)).toEqual(END);
    const session_id = sessionOf(response);
    const refused = await say({ session_id }, shortLived);
    expect(refused.response.status).toBe(401);
    expect((await bodyOf(refused.response)).error.message).toBe("Please sign in again.");
    const fresh = await tokens.issue("ada-jwt");
    const next = await say({ session_id }, fresh);
    expect(resultIn(next.events)).not.toHaveProperty("is_error", true);
    expect(next.events.at(-1)).toEqual(END);
    expect(model.rejected).toEqual([]);
    const budget = await bodyOf<object>(await of.call("/budget", undefined, fresh));
    expect(budget).toMatchObject({ used: model.billed, held: 0 });
    await expectNoSecrets(of, "ada-jwt", [errors, events, next.events], [shortLived, fresh]);
  });
});

describe("X3 T10 F25 the tools change between two turns", () => {
  const renamed = (text: string) => text.replaceAll("get_coaching_notes", "read_coaching_notes");
  it.each<[string, (passing: Passing) => string, (text: string) => string, RegExp]>([
    [
      "one has another name",
      ({ body }) =>
        body.includes("get_coaching_notes")
          ? body.replace("get_coaching_notes", "none")
          : body.replace("read_coaching_notes", "get_coaching_notes"),
      renamed,
      /Not run: the tool's server does not have this tool any more/,
    ],
    [
      "one wants another input",
      ({ body }) => (body.includes('"tool_input":{}') ? body.replace("{}", '{"limit":"all"}') : body),
      (text) => text.replace('"description":"', '"description":"(Changed.) '),
      /Not run: .*limit/,
    ],
  ])(
    "X3 F25 if %s, the call fails, and the next message begins with the new list",
    async (_, sent, list, says) => {
      let isNew = false;
      let calls = 0;
      const { of, user, model, errors, say } = await faulty(async (passing) => {
        const { path, send } = passing;
        isNew ||= isTool(passing);
        if (isNew && path.endsWith("/tools/schema")) {
          const { status, text } = await send();
          return { status, text: list(text) };
        }
        if (isTool(passing)) calls += 1;
        return await send(
          isTool(passing) && (calls === 1 || list === renamed) ? { body: sent(passing) } : {},
        );
      });
      const { response, events } = await say();
      // People read that it did not work, and the model reads why.
      expect(resultIn(events)).toMatchObject({ is_error: true });
      expect(toldTo(model, 1)).toMatch(says);
      expect(events.at(-1)).toEqual(END);
      const next = await say({ session_id: sessionOf(response) });
      expect(resultIn(next.events)).not.toHaveProperty("is_error", true);
      expect(next.events.at(-1)).toEqual(END);
      const [first, second, third] = model.requests.map(({ tools }) => JSON.stringify(tools));
      expect(second).toBe(first);
      expect(third).toBe(list(first ?? ""));
      expect(third).not.toBe(first);
      expect(model.rejected).toEqual([]);
      const prefixes = (await logOf(of, sessionOf(response))).filter(({ type }) => type === "prefix");
      expect(prefixes).toHaveLength(2);
      expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
      await expectNoSecrets(of, user, [errors, events, next.events]);
    },
  );
});

describe("X3 F18 the backend fails before a run begins", () => {
  const garbage: [string, () => Promise<{ status: number; text: string }>][] = [
    ["500", answer(500, "<html>no</html>")],
    ["half of its JSON", answer(200, '{"user_id":"ad')],
    ["JSON of another shape", answer(200, "{}")],
    ["JSON of 10 MB", answer(200, JSON.stringify({ junk: "x".repeat(10_000_000) }))],
  ];
  const paths = ["/budget", "/chat/preflight", "/tools/schema"];
  it.each(paths.flatMap((path) => garbage.map(([what, act]) => [path, what, act] as const)))(
    "X3 F18 E10 if %s answers %s, the message is refused, not stored, and nothing stays reserved",
    async (path, _what, act) => {
      let isFaulty = true;
      const { of, user, model, errors, say } = await faulty(async (passing) =>
        isFaulty && passing.path.endsWith(path) ? await act() : await passing.send(),
      );
      const { response } = await say();
      expect(response.status).toBeGreaterThanOrEqual(500);
      const text = await response.text();
      expect(JSON.parse(text).error.message).toMatch(/try again/i);
      const sessions = await of.store.sessions.list({ userId: user, limit: 5 });
      expect(sessions.filter(({ lastSeq }) => lastSeq > 0)).toEqual([]);
      expect(model.requests).toEqual([]);
      isFaulty = false;
      await expect
        .poll(async () => await of.budget(user), { timeout: 20_000 })
        .toMatchObject({ used: 0, held: 0 });
      expect((await say()).events.at(-1)).toEqual(END);
      expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
      await expectNoSecrets(of, user, [errors, text]);
    },
  );
});
