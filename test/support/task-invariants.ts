import assert from "node:assert/strict";
import type { Budget, StoredEvent } from "@pawl/core";
import { EXPERT_TURNS, EXPERTS } from "./delegates.ts";
import { ofType } from "./invariants.ts";

/** The log of a session. Its events up to `fromSeq` were copied by a fork. */
interface OneLog {
  id: string;
  log: readonly StoredEvent[];
  fromSeq: number;
}

/** What random runs have done with the tool `expert` so far, by name. */
export const reached = new Map<string, number>();

function reach(what: string): void {
  reached.set(what, (reached.get(what) ?? 0) + 1);
}

/**
 * Asserts the invariants of sub-agents' tasks: the right agent works on them, within its budget slice; their
 * questions are passed on as they are; and the caller is charged what they have used.
 */
export function assertTasks(logs: readonly OneLog[], limits: Partial<Budget>): void {
  const byId = new Map(logs.map(({ id, log }) => [id, log]));
  for (const { id, log, fromSeq } of logs) {
    assertSlices(log, limits);
    for (const { seq, data } of ofType(log, "tool_call")) {
      if (seq <= fromSeq || !["helper", "expert"].includes(data.tool_name)) continue;
      const task: Task = { caller: log, callId: data.call_id, child: byId.get(`${id}:${data.call_id}`) };
      if (data.tool_name === "expert") assertChosen(task, data.arguments);
      assertWithinSlice(task);
      assertQuestions(task);
      assertCharged(task);
    }
  }
}

interface Task {
  caller: readonly StoredEvent[];
  callId: string;
  /** The log of the sub-agent's session; `undefined` if it has none. */
  child: readonly StoredEvent[] | undefined;
}

function startedOf({ caller, callId }: Task) {
  return ofType(caller, "tool_started").filter(({ data }) => data.call_id === callId);
}

function resultOf({ caller, callId }: Task) {
  return ofType(caller, "tool_result").find(({ data }) => data.call_id === callId);
}

/** Asserts that only an agent that the caller may use works on a call, and always the same one. */
function assertChosen(task: Task, args: unknown): void {
  const { caller, callId, child } = task;
  const { expert } = args as { expert?: string };
  const started = startedOf(task);
  const agents = new Set(started.map(({ data }) => data.agent));
  assert.ok(agents.size <= 1, `${callId} was given to ${[...agents].join(" and ")}`);
  const result = resultOf(task)?.data;
  const [agent] = agents;
  if (agent === undefined) {
    assert.equal(child, undefined, `${callId} has a session, but was not started`);
    if (result?.result === "There is no such agent.") reach("no such agent");
    return;
  }
  assert.ok(agent === expert || (expert === "finder" && agent === "clerk"), `${agent} works for ${expert}`);
  assert.ok((EXPERTS as readonly string[]).includes(agent), `${agent} is not an expert`);
  reach(agent);
  if (result?.result === `The agent "${agent}", which began this task, is not available to continue it.`)
    reach("cannot go on");
  if (agent === "vault") {
    const before = caller.filter(({ seq }) => seq < (started[0]?.seq ?? 0));
    const roles = before.map(({ data }) => String((data as { caller?: { roles?: unknown } }).caller?.roles));
    assert.ok(roles.includes("admin"), `${callId} used the vault for somebody else`);
  }
}

/** Asserts that the tasks that start together get no more than the run may use. */
function assertSlices(log: readonly StoredEvent[], { outputTokens, costUsd }: Partial<Budget>): void {
  let tokens = 0;
  let cents = 0;
  for (const event of log) {
    if (event.type !== "tool_started") tokens = cents = 0;
    else {
      tokens += event.data.slice?.outputTokens ?? 0;
      cents += event.data.slice?.costCents ?? 0;
      const most = [outputTokens ?? Number.POSITIVE_INFINITY, (costUsd ?? Number.POSITIVE_INFINITY) * 100];
      assert.ok(tokens <= (most[0] ?? 0) + 1e-9, `${tokens} output tokens are given to tasks, of ${most[0]}`);
      assert.ok(cents <= (most[1] ?? 0) + 1e-9, `${cents} cents are given to tasks, of ${most[1]}`);
    }
  }
}

/** Asserts that a task's requests are within its slice, which is the same in every process. */
function assertWithinSlice(task: Task): void {
  const [first, ...again] = startedOf(task).map(({ data }) => data.slice);
  for (const slice of again) assert.deepEqual(slice, first, `${task.callId} has two slices`);
  if (task.child === undefined) return;
  assert.ok(
    first?.turns !== undefined && first.turns <= EXPERT_TURNS,
    `${task.callId} has no limit of turns`,
  );
  for (const { data } of ofType(task.child, "llm_request")) {
    assert.ok(data.turn <= first.turns, `${task.callId} makes turn ${data.turn} of ${first.turns}`);
    const { outputTokens = Number.POSITIVE_INFINITY } = first;
    assert.ok(data.params.max_tokens <= outputTokens, `${task.callId} asks for more than its slice`);
  }
}

/** Asserts that the caller's log has the sub-agent's questions as they are, and the sub-agent their answers. */
function assertQuestions({ caller, callId, child }: Task): void {
  for (const { seq, data } of ofType(caller, "tool_suspended")) {
    if (data.call_id !== callId || data.child === undefined) continue;
    const asked = child?.[data.child.question - 1];
    assert.ok(asked?.type === "tool_suspended", `${callId} asks what its sub-agent has not asked`);
    const { kind, payload, answer_schema } = asked.data;
    assert.deepEqual(
      { kind, payload, answer_schema },
      { kind: data.kind, payload: data.payload, answer_schema: data.answer_schema },
    );
    const answer = answerTo(caller, callId, seq);
    const passed = answerTo(child ?? [], data.child.call_id, asked.seq);
    if (passed === undefined || passed.data.closed !== undefined) continue;
    assert.deepEqual(passed.data.value, answer?.data.value, `${callId} got another answer`);
    reach("answered inside");
  }
}

function answerTo(log: readonly StoredEvent[], callId: string, after: number) {
  return ofType(log, "tool_answered").find(({ seq, data }) => seq > after && data.call_id === callId);
}

/** Asserts that the caller was charged what the sub-agent has used, once it has a result or its run is over. */
function assertCharged(task: Task): void {
  const { caller, callId, child } = task;
  const log = child ?? [];
  const byTools = [...ofType(log, "tool_suspended"), ...ofType(log, "tool_result")];
  const used = sum([
    ...[...ofType(log, "llm_response"), ...ofType(log, "spending")].map(({ data }) => data),
    ...byTools.flatMap(({ data }) => data.spent ?? []),
  ]);
  const atEnd = ofType(caller, "spending").filter(({ key }) => key?.endsWith(`:pawl.tasks:${callId}`));
  const own = [...ofType(caller, "tool_suspended"), ...ofType(caller, "tool_result")];
  const charged = sum([
    ...own.flatMap(({ data }) => (data.call_id === callId ? (data.spent ?? []) : [])),
    ...atEnd.map(({ data }) => data),
  ]);
  assert.ok(
    charged.tokens <= used.tokens,
    `${callId} was charged ${charged.tokens} of ${used.tokens} tokens`,
  );
  if (atEnd.length > 0) reach("charged at the end");
  const isOver =
    caller.findLast(({ type }) => type === "run_started" || type === "run_ended")?.type === "run_ended";
  if (!isOver && resultOf(task)?.data.spent === undefined) return;
  assert.equal(charged.tokens, used.tokens, `${callId} was charged another number of tokens`);
  assert.ok(Math.abs(charged.cents - used.cents) < 1e-6, `${callId} was charged another cost`);
}

function sum(all: readonly { tokens: { total: number }; cost_cents: number }[]) {
  return {
    tokens: all.reduce((total, { tokens }) => total + tokens.total, 0),
    cents: all.reduce((total, { cost_cents }) => total + cost_cents, 0),
  };
}
