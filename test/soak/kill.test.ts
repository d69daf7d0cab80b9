import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type AgentClient, createAgentClient } from "@pawl/client";
import type { StoredEvent } from "@pawl/core";
import { messagesApi, type Reply } from "@pawl/testing";
import { afterAll, describe, expect, it } from "vitest";
import { assertExtends, assertSoundLog, ofType, type SeenRequest } from "../support/invariants.ts";
import { pause } from "../support/pause.ts";
import { type PlaygroundProcess, playgroundProcess } from "../support/playground-process.ts";
import { soak } from "../support/soak.ts";

const KILLS = soak(2, 500);
const call = (name: string, value: string) => ({ name, input: { value } });

/**
 * Four turns a run: tools that must not run twice, idempotent tools, questions beside other calls, and
 * thinking.
 */
const turns: readonly Reply[] = [
  { text: "I begin.", tools: [call("record", "a"), call("look", "b"), call("record", "c")] },
  { thinking: "Hm.", text: "A question:", tools: [call("ask", "d"), call("record", "e"), call("ask", "f")] },
  { thinking: "Let me think.", tools: [call("record", "g"), call("look", "h")] },
  { text: "That is **done**, and here is a longer text that takes a while to stream." },
];

async function simulator() {
  return await messagesApi({
    rules: (_request, { turn }) => ({ ...(turns[turn] ?? { text: "Done." }), delayPerEventMs: 4 }),
  });
}

/** Plays a user who keeps sending messages and answers, also while the server dies. */
function chatter(server: PlaygroundProcess, name: string, headers: Record<string, string>) {
  const seen: StoredEvent[] = [];
  const client = createAgentClient({
    url: `${server.url}/api/tester`,
    headers,
    silenceMs: 5_000,
    onEvent: (event) => "seq" in event && seen.push(event),
  });
  let going = true;
  const talk = async () => {
    for (let n = 0; going; n += 1) {
      const { phase, pending, sessionId } = client.getState();
      const [question] = pending;
      if (question !== undefined) await client.answer(question.callId, `${name} says yes`);
      else if (phase === "idle" || phase === "error") await client.send(`${name} says ${n}`);
      else if (sessionId === undefined)
        await pause(50, "the server is down, or the session is not known yet");
      await pause(30, "a user takes a moment");
    }
  };
  const done = talk();
  return {
    client,
    seen,
    finish: async () => {
      going = false;
      await done;
    },
  };
}

/** Waits until `count` more events have arrived, at most 15 s. */
async function activity(seen: readonly StoredEvent[][], count: number): Promise<void> {
  const total = () => seen.reduce((sum, events) => sum + events.length, 0);
  const goal = total() + count;
  const deadline = performance.now() + 15_000;
  while (total() < goal && performance.now() < deadline) await pause(1, "between two looks at the clients");
}

/** Answers all open questions, until the run has ended and the client shows the end. */
async function settle(client: AgentClient): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const { run, pending, phase } = client.getState();
    if (run?.open === false && run.stop !== undefined && phase !== "submitting") return;
    const [question] = pending;
    if (question !== undefined) await client.answer(question.callId, "at last");
    await pause(50, "between two looks at the client");
  }
  throw new Error(`The session does not settle: ${JSON.stringify(client.getState()).slice(0, 2000)}`);
}

describe("kill -9 of the playground's server", { timeout: 30_000 * KILLS }, async () => {
  const api = await simulator();
  const server = await playgroundProcess(api.url, { PAWL_TEST: "1" });
  const restarts: number[] = [];
  afterAll(async () => {
    await server.remove();
    await api.close();
  });

  it(`P1 P4 L7 L10 W4 E2 loses nothing and does nothing twice in ${KILLS} kills at random moments`, async () => {
    await server.start();
    const users = await Promise.all(
      ["ada", "ben", "cem"].map(async (name) => {
        const visit = await fetch(`${server.url}/api/info`);
        const cookie = visit.headers.getSetCookie()[0]?.split(";")[0] ?? "";
        return { name, cookie, ...chatter(server, name, { cookie }) };
      }),
    );
    for (let kills = 0; kills < KILLS; kills += 1) {
      await activity(
        users.map((user) => user.seen),
        2 + Math.floor(Math.random() * 24),
      );
      await pause(Math.random() * 40, "the server is killed at a random moment");
      await server.kill();
      const before = performance.now();
      await server.start();
      restarts.push(performance.now() - before);
    }
    await Promise.all(users.map(({ finish }) => finish()));
    await Promise.all(users.map(({ client }) => settle(client)));

    expect(api.rejected).toEqual([]);
    const effects = (await readFile(join(server.dir, "effects.log"), "utf8")).trim().split("\n");
    expect(new Set(effects).size, "a tool that is not idempotent ran twice").toBe(effects.length);
    let events = 0;
    for (const { cookie, client, seen } of users) {
      const { sessionId, messages, cursor } = client.getState();
      const base = `${server.url}/api/tester/sessions/${sessionId}`;
      const { events: log } = await getJson<{ events: StoredEvent[] }>(`${base}/events`, cookie);
      assertSoundLog(log, seen);
      events += log.length;
      const view = await getJson<{ messages: unknown; cursor: number }>(base, cookie);
      expect(messages).toEqual(view.messages);
      expect(cursor).toBe(view.cursor);
      const requests = api.requests.map(({ body }) => body as SeenRequest);
      // If the response to a first message was lost, its user never learned of the session.
      const first = `"${ofType(log, "user_message")[0]?.data.message}"`;
      assertExtends(requests.filter(({ messages }) => JSON.stringify(messages[0]).includes(first)));
      for (const { data } of ofType(log, "tool_result")) {
        if (data.tool_name === "record" && data.success) expect(effects).toContain(data.call_id);
      }
      client.close();
    }
    soak.report(
      `${KILLS} kills, ${events} events in ${users.length} sessions, ${api.requests.length} requests, ${effects.length} effects, restart ${Math.round(median(restarts))} ms (median)`,
    );
  });
});

async function getJson<T>(url: string, cookie: string): Promise<T> {
  return (await (await fetch(url, { headers: { cookie } })).json()) as T;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
