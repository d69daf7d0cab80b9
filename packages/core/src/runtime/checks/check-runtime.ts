import { checkNumbers } from "../../base/check-numbers.ts";
import { checkOptions, kindOf, listOf, type OptionKinds, oneOf } from "../../base/check-options.ts";
import { PawlError } from "../../base/errors.ts";
import { checkStore } from "../../stores/check-store.ts";
import type { RuntimeSettings } from "../begin/runtime-types.ts";
import type { WorkLimits } from "../leg/work-limits.ts";

const OPTIONS: OptionKinds<RuntimeSettings<unknown>> = {
  agents: listOf("agents: [coach]", true),
  // `checkStore` checks the value.
  store: { mustBe: "an EventStore, e.g. memoryStore()", is: () => true, required: true },
  deps: "function",
  withoutCredentials: oneOf("ask", "stop"),
  tail: {
    mustBe: "a LiveTail, e.g. localTail() of @pawl/core/store",
    is: (tail) => typeof Object(tail).subscribe === "function",
  },
  waitUntil: "function",
  concurrency: "number",
  engine: {
    mustBe: "an Engine, e.g. localEngine() of @pawl/core/store",
    is: (engine) => typeof Object(engine).wake === "function" && typeof Object(engine).work === "function",
  },
  onError: "function",
  upcasters: "object",
  blobs: "object",
  files: {
    mustBe: "a FileStore, e.g. memoryFiles()",
    is: (files) => typeof Object(files).put === "function" && typeof Object(files).list === "function",
  },
  workLimits: "object",
  times: "object",
  testing: "object",
};

const TIMES: OptionKinds<Group<"times">> = {
  leaseTtlMs: "number",
  abortGraceMs: "number",
  handOverAfterMs: "number",
  pollMs: "number",
  storeRetryMs: "list",
};

const TESTING: OptionKinds<Group<"testing">> = { newId: "function", clock: "object" };

/** The type of an option of `runtime()` that groups other options. */
type Group<Name extends keyof RuntimeSettings<unknown>> = NonNullable<RuntimeSettings<unknown>[Name]>;

/** Returns hints for options that were given outside of the group to which they belong. */
const hintsToGroup = (group: string, options: object) =>
  Object.fromEntries(Object.keys(options).map((name) => [name, `Use \`${group}: { ${name} }\`.`]));

const WORK_LIMITS: OptionKinds<WorkLimits> = {
  files: "number",
  fileBytes: "number",
  sessions: "number",
  sessionBytes: "number",
  waitMs: "number",
};

/** Hints for options outside of their group, and for option names that other libraries use. */
const INSTEAD = {
  ...hintsToGroup("times", TIMES),
  ...hintsToGroup("testing", TESTING),
  agent: "Use `agents`, a list of agents.",
  logger: "Use `onError`, or the store withEventLines(store) of @pawl/core/inspect.",
};

/** Checks the options of `runtime()`, and that the platform is new enough. @throws PawlError `config` */
export function checkRuntimeOptions(options: unknown): void {
  checkPlatform();
  checkOptions("runtime()", options, OPTIONS, { instead: INSTEAD });
  const {
    agents,
    store,
    concurrency = 1,
    engine,
    workLimits = {},
    times = {},
    testing = {},
  } = options as RuntimeSettings<unknown>;
  for (const [index, agent] of agents.entries()) {
    const isMadeByAgent = Object(agent).tools instanceof Map;
    if (isMadeByAgent) continue;
    throw new PawlError(
      "config",
      `\`agents[${index}]\` of runtime() must be made by agent(); got ${kindOf(agent)}.`,
    );
  }
  checkStore("`store` of runtime()", store);
  const names = agents.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined)
    throw new PawlError("config", `Two agents are named "${duplicate}". Names must be unique.`);
  for (const { name, handOverTo = {} } of agents) {
    const unknown = Object.keys(handOverTo).find((target) => !names.includes(target));
    if (unknown !== undefined)
      throw new PawlError(
        "config",
        `"${name}" hands over to "${unknown}", which is not in \`agents\` of runtime(). Add that agent.`,
      );
  }
  checkTimes("`times` of runtime()", times);
  checkOptions("`testing` of runtime()", testing, TESTING);
  checkWorkLimits("`workLimits` of runtime()", workLimits);
  if (concurrency === 0 && engine === undefined) {
    throw new PawlError(
      "config",
      "`concurrency: 0` needs an `engine`, so that other processes run the sessions: e.g. pgBossEngine(…), or localEngine() of @pawl/core/store if workers find them by sweeps.",
    );
  }
  checkNumbers("the runtime", { concurrency }, { least: engine === undefined ? 1 : 0, whole: true });
}

/** Checks the option `times`. `owner` is for the message. */
function checkTimes(owner: string, times: Group<"times">): void {
  checkOptions(owner, times, TIMES);
  const { leaseTtlMs = 1, pollMs = 1, abortGraceMs = 0, handOverAfterMs = 1 } = times;
  // Timers wait for these times and a little longer. 2^30 ms is far below the longest time of a timer.
  checkNumbers(owner, { leaseTtlMs, pollMs }, { least: 1, most: 2 ** 30, whole: true });
  checkNumbers(owner, { abortGraceMs });
  checkNumbers(owner, { handOverAfterMs }, { least: 1 });
}

/** Checks the option `workLimits`. `owner` is for the message. */
function checkWorkLimits(owner: string, limits: WorkLimits): void {
  checkOptions(owner, limits, WORK_LIMITS);
  for (const [name, value] of Object.entries(limits)) {
    // `Infinity` lifts a limit.
    const whole = WHOLE_LIMITS.includes(name) && value !== Number.POSITIVE_INFINITY;
    checkNumbers(owner, { [name]: value }, { least: 1, whole });
  }
}

/** The limits that must be whole numbers, because they count things. */
const WHOLE_LIMITS = ["files", "sessions"];

/** Refuses Node 20, on which every run would fail with "Promise.withResolvers is not a function". */
function checkPlatform(): void {
  if (typeof Promise.withResolvers === "function") return;
  const node = globalThis.process?.versions?.node;
  const found = node === undefined ? "this runtime has no Promise.withResolvers" : `this is Node ${node}`;
  throw new PawlError("config", `runtime() needs Node 22.18 or newer; ${found}.`);
}
