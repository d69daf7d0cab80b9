import {
  type Agent,
  type AgentOptions,
  agent,
  type EventStore,
  type Json,
  type ModelClient,
  memoryStore,
  type Runtime,
  runtime,
  type StoredEvent,
  systemClock,
  tool,
} from "@pawl/core";
import { type Reply, type Rules, type StrictModel, strictModel } from "@pawl/testing";
import * as z from "zod";
import { delegates, EXPERTS } from "./delegates.ts";
import { assertSoundLog } from "./invariants.ts";
import { assertPages } from "./pages.ts";
import { assertExpiries, assertPatience, patient } from "./patient.ts";
import { pause } from "./pause.ts";
import { assertRebuilds } from "./rebuild.ts";
import { draw, type RecordedFiles } from "./recorded-files.ts";
import { assertSnapshots } from "./snapshots.ts";
import { assertSurveys, survey } from "./survey.ts";
import { assertTasks } from "./task-invariants.ts";

/** One user, one agent and one log, with any number of processes. */
export interface World {
  model: StrictModel;
  base: EventStore;
  /** How often the tool of each call ran, by call id. */
  ran: Map<string, number>;
  /** The agents that the tool `expert` may choose at the moment. */
  staff: Set<string>;
  agent: Agent;
  /** Starts a process: a runtime of its own over the log. */
  boot(store?: EventStore): Runtime;
  /** Moves the clock until every lease has expired. */
  wait(): void;
  log(sessionId: string): Promise<StoredEvent[]>;
  /** Asserts the invariants that must always hold. */
  check(sessionId: string, acknowledged?: readonly StoredEvent[]): Promise<StoredEvent[]>;
}

/**
 * Replies by the number of earlier answers in the request, so that all processes and retries get the same
 * reply.
 */
export function byTurn(replies: readonly Reply[]): Rules {
  return (request) => {
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    const reply = replies[turn] ?? { text: "Done." };
    const content = reply.content?.map((block) =>
      block.type === "tool_use" ? { ...block, id: `toolu_${crypto.randomUUID()}` } : block,
    );
    return content === undefined ? reply : { ...reply, content };
  };
}

/** Returns the replies of `rules`. A reply with a fault fails at every other request for it. */
export function failingAtFirst(rules: Rules): Rules {
  const asked = new Map<number, number>();
  return async (request, context) => {
    const { fault, ...reply } = await rules(request, context);
    if (fault === undefined) return reply;
    const times = (asked.get(request.messages.length) ?? 0) + 1;
    asked.set(request.messages.length, times);
    return times % 2 === 1 ? { ...reply, fault } : reply;
  };
}

export function world(
  rules: Rules,
  options: Partial<Omit<AgentOptions<unknown>, "model">> & {
    thinking?: boolean;
    /** Wraps the model; `World.model` is the unwrapped one. */
    around?: (model: ModelClient) => ModelClient;
    /** The replies of the sub-agents behind the tools `helper` and `expert`. Default: no such tools. */
    helper?: readonly Reply[];
    /** Whether the tools are a function of the caller: readers may not save. Default: a list. */
    byCaller?: boolean;
    /** Wraps the log; `World.base` is the wrapped one. */
    over?: (log: EventStore) => EventStore;
    /** Keeps files of messages and of the tool `draw`. Default: no files, and no such tool. */
    files?: RecordedFiles;
  } = {},
): World {
  const {
    thinking = true,
    around = (inner) => inner,
    over = (log) => log,
    helper,
    byCaller = false,
    files,
    ...more
  } = options;
  let clock = Date.UTC(2026, 10, 20);
  const began = Date.now();
  // The clock also moves with real time. A test may wait for a process that itself waits for a lease to
  // expire.
  const now = () => clock + (Date.now() - began);
  const model = strictModel({
    rules,
    now,
    ...(thinking && { body: { thinking: { type: "adaptive", display: "summarized" } } }),
    pricing: { input: 2, output: 10, cacheRead: 0.1, cacheWrite5m: 2.5, cacheWrite1h: 4 },
  });
  const base = over(memoryStore({ now }));
  const ran = new Map<string, number>();
  const tools = [...standardTools(ran), ...(files === undefined ? [] : [draw])];
  const staff = new Set<string>(EXPERTS);
  const children = helper && delegates(helper, tools, byTurn, staff);
  const all = [...tools, ...(children?.tools ?? [])];
  const models = [model, ...(children?.models ?? [])];
  const made = agent({
    name: "tester",
    model: around(model),
    instructions: "You are a test.",
    tools: byCaller
      ? ({ caller: { roles } }) => all.filter(({ name }) => name !== "save" || String(roles) !== "reader")
      : all,
    ...more,
    ...(more.userData && { userData: { timeoutMs: 60, ...more.userData } }),
  });
  const world: World = {
    model,
    base,
    ran,
    staff,
    agent: made as Agent,
    // Waits use the real clock and leases this one, so a wait for a long lease would never end.
    boot: (store = base) =>
      runtime({
        agents: [made],
        store,
        testing: { clock: { ...systemClock, now } },
        times: { abortGraceMs: 20, storeRetryMs: [], pollMs: 20, leaseTtlMs: 60 },
        ...(files && { files }),
      }),
    wait: () => {
      clock += 60_000;
    },
    log: async (sessionId) => await Array.fromAsync(base.read(sessionId)),
    check: async (sessionId, acknowledged) => {
      const log = await world.log(sessionId);
      const copied = ((await base.sessions.get(sessionId))?.metadata.forked_from ?? {}) as { seq?: number };
      assertSoundLog(log, acknowledged, copied.seq);
      const [rejected] = models.flatMap((one) => one.rejected);
      if (rejected !== undefined) throw new Error(JSON.stringify(rejected, null, 1));
      const sessions = await base.sessions.list({ userId: "u1", limit: 1_000 });
      const logs = sessions.map(async ({ id, metadata }) => {
        const { seq = 0 } = (metadata.forked_from ?? {}) as { seq?: number };
        return { id, log: await world.log(id), fromSeq: seq };
      });
      const requests = models.flatMap((one) => one.requests);
      const all = await Promise.all(logs);
      await assertRebuilds(all, requests, files?.fill);
      for (const { log, fromSeq } of all) {
        assertSnapshots(log);
        assertSurveys(log, ran, fromSeq);
        assertPatience(log, ran, fromSeq);
        assertExpiries(log, fromSeq);
        await assertPages(log);
      }
      assertTasks(all, made.limits);
      return log;
    },
  };
  return world;
}

const asked = z.object({ value: z.string() });

/** Asks a database, which does not know one value and fails for another one. zod would leave a promise behind. */
const known: typeof asked = Object.create(asked, {
  "~standard": {
    value: {
      ...asked["~standard"],
      validate: async (input: unknown) => {
        const checked = await asked["~standard"].validate(input);
        if (checked.issues !== undefined) return checked;
        if (checked.value.value === "b") throw new Error("the database is down");
        await pause(1, "the time that a database takes");
        return checked.value.value === "" ? { issues: [{ message: "unknown" }] } : checked;
      },
    },
  },
});

function standardTools(ran: Map<string, number>) {
  const count = (callId: string) => ran.set(callId, (ran.get(callId) ?? 0) + 1);
  const value = z.object({ value: z.string() });
  return [
    survey(ran),
    patient(ran),
    tool({
      name: "save",
      description: "Saves.",
      input: value,
      shortenInput: ["value"],
      execute: ({ value }, { callId }) => {
        count(callId);
        return { saved: value };
      },
    }),
    tool({
      name: "fetch",
      description: "Fetches.",
      input: value,
      maxResultChars: 500,
      idempotent: true,
      execute: async ({ value }, { callId }) => {
        count(callId);
        await pause(1, "the time that a tool takes");
        return `fetched ${value}`.padEnd(1_000, " and more");
      },
    }),
    tool({
      name: "stubborn",
      description: "Takes its time and ignores its abort signal.",
      input: value,
      execute: async ({ value }, { callId }) => {
        count(callId);
        await pause(40, "longer than a tool may ignore its abort signal");
        return `done ${value}`;
      },
    }),
    tool({
      name: "fail",
      description: "Fails.",
      input: value,
      execute: ({ value }, { credentials }) => {
        throw new Error(`${value}: refused for ${JSON.stringify(credentials)}`);
      },
    }),
    tool({
      name: "report",
      description: "Stores events and reports what it cost.",
      input: value,
      idempotent: true,
      execute: async ({ value }, { append, report, callId, credentials }) => {
        count(callId);
        await append({ type: "test.looked", key: `looked:${callId}`, data: { value, credentials } as Json });
        await append({ type: "note", key: `plan:${callId}`, data: { text: value, tag: "Plan" } });
        report({ costUsd: 0.0001, connector: "test", fragments: ["f1"], summary: value });
        if (value === "b") throw Object.assign(new Error("busy"), { code: "rate_limited" });
        return value;
      },
    }),
    tool({
      name: "odd",
      description: "Is formatted in odd ways.",
      input: value,
      execute: ({ value }, { callId }) => {
        count(callId);
        return value === "a" ? 10n : value;
      },
      format: (result) => [{ type: "text", text: String(result) }],
    }),
    tool({
      name: "look_up",
      description: "Has an input that is checked elsewhere.",
      input: known,
      execute: ({ value }, { callId }) => {
        count(callId);
        return `known: ${value}`;
      },
    }),
    tool({
      name: "ask",
      description: "Asks.",
      input: value,
      suspends: { answer: z.object({ text: z.string() }) },
    }),
    tool({
      name: "approve",
      description: "Asks, then acts.",
      input: value,
      suspends: { answer: z.object({ text: z.string() }) },
      execute: ({ value }, { callId, answer }) => {
        count(callId);
        return { value, answer: (answer as { text: string }).text };
      },
    }),
  ];
}
