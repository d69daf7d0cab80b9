import { isAgent, taskAgent } from "../agent/agent-tool.ts";
import { checkOptions, kindOf, type OptionKinds, oneOf } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import { hintsFor } from "../base/hints-for.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { sha256 } from "../base/sha256.ts";
import { isBlank } from "../base/text.ts";
import type { RunContext } from "../hooks/hook.ts";
import { unlimited } from "../log/budget.ts";
import { eventKey } from "../log/event-keys.ts";
import { storedBudget } from "../log/stored-budget.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { SettledTask, TaskGiver } from "../loop/leg/task-types.ts";
import { sliceOf } from "../loop/tools/run-tools.ts";
import { resultOf } from "../session/run-result.ts";
import { openRun, type RunState, type TaskState } from "../session/state.ts";
import { artifactEvent } from "../tools/artifact.ts";
import type { RunAgentOptions, TaskAgent, TaskResult } from "../tools/run-agent-types.ts";
import { addOnce } from "./append.ts";
import { whyNot } from "./tasks.ts";

const OPTIONS: OptionKinds<RunAgentOptions> = {
  key: "string!",
  limits: "object",
  shows: oneOf("text", "all"),
};

const WHERE = "context.runAgent()";

const wrongTask = (message: string): PawlError => new PawlError("config", message);

/** A task that was checked. */
interface GivenTask {
  id: string;
  agent: TaskAgent;
  input: string;
  options: RunAgentOptions;
}

/** Returns the method `runAgent` of a hook's or tool's context. */
export function runAgentInRun(leg: Leg, giver: TaskGiver): RunContext["runAgent"] {
  const runAgent = async (agent: unknown, input: string, options: RunAgentOptions) => {
    giver.check();
    const run = openRun(leg.log.state);
    if (run === undefined) throw invalidInput("The run has ended, so no agent is run.");
    const checked = checkedAgent(agent, input, options);
    const id = await taskId(run, giver, options.key);
    const { byId } = leg.once.tasks;
    const inProgress = byId.get(id);
    if (inProgress !== undefined) return await inProgress;
    const result = resultOfTask(leg, giver, { id, agent: checked, input, options });
    byId.set(id, result);
    return await result.finally(() => byId.delete(id));
  };
  return runAgent as RunContext["runAgent"];
}

/** Checks the arguments of `runAgent()`. @throws PawlError `config`, or `invalid_input` for the input */
function checkedAgent(agent: unknown, input: unknown, options: RunAgentOptions): TaskAgent {
  checkOptions(WHERE, options, OPTIONS, { instead: hintsFor("runAgent") });
  if (!isAgent(agent))
    throw wrongTask(`${WHERE} must be given an agent that agent() has made; got ${kindOf(agent)}.`);
  if (typeof input !== "string" || isBlank(input))
    throw invalidInput(`The input of ${WHERE} must be a text that is not blank.`);
  const { key, limits = {} } = options;
  if (key === "" || key.length > 200) throw wrongTask("`key` must have 1 to 200 characters.");
  for (const [limit, value] of Object.entries(limits))
    if (!Object.hasOwn(unlimited, limit) || !(typeof value === "number" && value > 0))
      throw wrongTask(
        `\`limits\` of ${WHERE} must be numbers above 0, named ${Object.keys(unlimited).join(", ")}.`,
      );
  return taskAgent(agent, limits);
}

/** Returns the id of a task: the same for the same key, hook or call, and run. */
async function taskId({ runId }: RunState, { scope }: TaskGiver, key: string): Promise<string> {
  return `task_${(await sha256(JSON.stringify([runId, scope, key]))).slice(0, 32)}`;
}

/** Works on a task until it has ended. If its agent asks the user, ends the hook or tool by an exception. */
async function resultOfTask(leg: Leg, giver: TaskGiver, given: GivenTask): Promise<TaskResult> {
  giver.waitsFor(given.agent);
  const work = workAndCharge(leg, giver, given);
  const { working } = leg.once.tasks;
  const tasks = working.get(giver.scope) ?? new Set();
  working.set(giver.scope, tasks.add(work));
  const done = await work.finally(() => tasks.delete(work));
  if (done === undefined) return giver.leave();
  if (done.question === undefined) return resultOf(done.state);
  // The other tasks of this hook or call go on until they have ended or ask, too.
  while (tasks.size > 0) await Promise.allSettled([...tasks]);
  return giver.ask(done.question);
}

/** Starts or continues a task, and charges the run. Returns `undefined` if this process leaves the run. */
async function workAndCharge(leg: Leg, giver: TaskGiver, given: GivenTask): Promise<SettledTask | undefined> {
  const task = await startedTask(leg, giver, given);
  const { call } = giver;
  const { shows } = given.options;
  const shown = call && shows && { with: call, what: shows };
  try {
    const { slice = {} } = task.started ?? {};
    const work = { call: withAnswer(leg, giver, task), agent: given.agent, message: given.input, slice };
    const settled = await leg.run.tasks.work(leg, { ...work, signal: giver.signal(), shown });
    if (settled !== undefined) await charge(leg, giver, given, settled);
    return settled;
  } finally {
    if (leg.readers.live.agents.delete(given.id)) leg.readers.touch();
  }
}

/** Returns the task as the log has it. Stores its start first if it is new. */
async function startedTask(leg: Leg, giver: TaskGiver, given: GivenTask): Promise<TaskState> {
  const { id, agent, options } = given;
  const { tasks } = leg.once;
  tasks.agents.set(id, agent);
  const found = findTask(leg, id);
  if (found !== undefined && found.toolName !== agent.name)
    throw wrongTask(
      `The key "${options.key}" is taken by a task of the agent "${found.toolName}". Use another key.`,
    );
  if (found !== undefined) return found;
  const why = whyNot(leg, agent);
  if (why !== undefined) throw new PawlError("limit_reached", why);
  tasks.starting += 1;
  try {
    // Tasks that are given at the same time are counted first, because they share the budget.
    await Promise.resolve();
    const slice = storedBudget(sliceOf(leg, agent.budget, options.limits ?? {}, tasks.starting));
    const { by, call } = giver;
    const data = { task_id: id, by, agent: agent.name, key: options.key, slice };
    const ofCall = call && { call_id: call.callId };
    await addOnce(leg, { type: "task_started", key: eventKey.task(id), data: { ...data, ...ofCall } });
  } finally {
    tasks.starting -= 1;
  }
  const started = findTask(leg, id);
  if (started === undefined) throw invalidInput("The run has ended, so no agent is run.");
  return started;
}

function findTask({ log }: Leg, id: string): TaskState | undefined {
  return openRun(log.state)?.tasks.find(({ callId }) => callId === id);
}

/** Returns the task with the question that it has passed on, and the answer to it. */
function withAnswer(leg: Leg, { call }: TaskGiver, task: TaskState): TaskState {
  const sessionId = `${leg.run.session.id}:${task.callId}`;
  const asked = call === undefined ? (openRun(leg.log.state)?.asked ?? []) : [call];
  const passedOn = asked.findLast(({ question }) => question?.child?.sessionId === sessionId);
  return passedOn === undefined ? task : { ...task, question: passedOn.question, answer: passedOn.answer };
}

/** Charges the run for what the task has used since it was last charged, once. */
async function charge(
  leg: Leg,
  { by }: TaskGiver,
  { id, agent }: GivenTask,
  { state, question, spent, artifacts }: SettledTask,
): Promise<void> {
  if (findTask(leg, id)?.over !== false) return;
  const model = agent.models[0]?.id ?? "";
  const over = question === undefined && { task_over: true as const };
  const key = eventKey.taskCharge(id, state.lastSeq);
  const spending = { type: "spending" as const, key, data: { by, model, ...spent, task: id, ...over } };
  await addOnce(leg, spending, artifacts.map(artifactEvent));
}
