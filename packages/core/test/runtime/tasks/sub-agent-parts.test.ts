import { describe, expect, it } from "vitest";
import * as z from "zod";
import { newRun } from "../../../src/fold/new-run.ts";
import { agent, agentTool, memoryStore, type Session, type StoredOf, type Tool } from "../../../src/index.ts";
import { type Budget, unlimited } from "../../../src/log/budget.ts";
import type { Leg } from "../../../src/loop/leg/leg.ts";
import { sliceOf } from "../../../src/loop/tools/run-tools.ts";
import type { Host } from "../../../src/runtime/leg/host.ts";
import { childAgent, openChild } from "../../../src/runtime/tasks/child-session.ts";
import { newSessionState } from "../../../src/session/new-state.ts";
import type { CallState, TurnState } from "../../../src/session/state.ts";
import type { TaskAgent } from "../../../src/tools/run-agent-types.ts";
import type { Delegate } from "../../../src/tools/tool.ts";
import { code } from "../../support/errors.ts";
import { setup } from "../../support/setup.ts";

const worker = agent({
  name: "worker",
  model: setup([]).model,
  instructions: "You work.",
  limits: { turns: 7, inputTokens: 1_000 },
  whenBusy: "queue",
});
const delegateOf = (limits: Partial<Budget> = {}) =>
  (agentTool({ agent: worker, description: "Works.", limits }) as Tool).delegate as Delegate;

describe("the agent for a task", () => {
  it("is refused when it is defined if it has an input of its own and no message", () => {
    const input = z.object({ topic: z.string() });
    expect(() => agentTool({ agent: worker, description: "Works.", input })).toThrow(/needs `message`/);
    const message = ({ topic }: { topic: string }) => topic;
    expect(() => agentTool({ agent: worker, description: "Works.", input, message })).not.toThrow();
  });

  it("has its own limits but for its slice, a name of its caller's, and takes no second message", () => {
    const child = childAgent(worker, "host", "worker", { turns: 2 });
    expect(child).toMatchObject({ name: "host/worker", whenBusy: "reject", limits: { turns: 2 } });
    expect(child.limits.inputTokens).toBe(1_000);
  });

  it("L13 O1 may use its part of what the caller has left, or less, and its own number of turns", () => {
    const slice = (left: Partial<Budget>, limits: Partial<Budget>, tasks = 2) => {
      const run = newRun({ seq: 1, at: "", data: { run_id: "r" } } as StoredOf<"run_started">);
      const calls = Array.from({ length: tasks }, () => ({ toolName: "worker" }) as CallState);
      run.turn = { calls } as TurnState;
      const leg = {
        log: { state: { ...newSessionState("s"), run } },
        run: {
          agent: {
            limits: { ...unlimited, ...left },
            sessionLimits: unlimited,
            tools: new Map([["worker", { delegate: {} }]]),
          },
        },
        life: { legMs: () => 0 },
      };
      const { fixed } = delegateOf(limits);
      return sliceOf(leg as unknown as Leg, (fixed as TaskAgent).budget, limits);
    };
    expect(slice({}, { turns: 3 })).toEqual({ turns: 3 });
    expect(slice({ turns: 2, toolCalls: 2, wallClockMs: 2 }, {})).toEqual({});
    expect(slice({ inputTokens: 800, outputTokens: 90, costUsd: 0.04 }, {})).toEqual({
      inputTokens: 400,
      outputTokens: 45,
      costUsd: 0.02,
    });
    expect(slice({ inputTokens: 8_000 }, {})).toEqual({ inputTokens: 1_000 });
    expect(slice({ inputTokens: 8_000 }, { inputTokens: 3_000 })).toEqual({ inputTokens: 3_000 });
    expect(slice({ inputTokens: 8_000 }, { inputTokens: 3_000 }, 4)).toEqual({ inputTokens: 2_000 });
  });

  it("refuses a slice of nothing", () => {
    expect(() => delegateOf({ turns: 0 })).toThrow(/limits.turns of "worker"/);
  });
});

describe("the session for a task", () => {
  const parent = { id: "s1", userId: "u1", metadata: { type: "demo", forked_from: { session_id: "s0" } } };
  const open = (store = memoryStore(), who: Partial<Session> = {}) =>
    openChild({ store } as Host, legOf({ ...parent, ...who } as unknown as Session), "c1", "host/worker");
  const legOf = (session: Session) => ({
    run: { session, agent: {} },
    log: { state: newSessionState("s1") },
  });

  it("E11 is the caller's user's, of its type, and no copy where its caller is one", async () => {
    const made = await open();
    expect(made).toMatchObject({ id: "s1:c1", userId: "u1", agent: "host/worker" });
    expect(made.metadata).toEqual({ type: "demo", parent: { session_id: "s1", call_id: "c1" } });
  });

  it.each([
    ["another user", { userId: "u2", agent: "host/worker" }],
    ["another agent", { userId: "u1", agent: "worker" }],
  ])("E11 is never one of %s, whenever that was made", async (_who, other) => {
    const store = memoryStore();
    await store.sessions.create({ id: "s1:c1", ...other });
    const refused = code("conflict", "another session");
    await expect(open(store)).rejects.toSatisfy(refused);
    await expect(open(unseen(store))).rejects.toSatisfy(refused);
  });

  it("P4 is the one that another process has made at the same moment", async () => {
    const store = memoryStore();
    const made = await open(store);
    expect(await open(store)).toEqual(made);
    expect(await open(unseen(store))).toEqual(made);
  });

  /** A store whose session was made after it was first looked for. */
  function unseen(store: ReturnType<typeof memoryStore>): typeof store {
    let looks = 0;
    const get: typeof store.sessions.get = async (id) => {
      looks += 1;
      return looks === 1 ? undefined : await store.sessions.get(id);
    };
    return { ...store, sessions: { ...store.sessions, get } };
  }
});
