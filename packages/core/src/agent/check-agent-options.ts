import { COUNT, checkOptions, kindOf, listOf, type OptionKinds, oneOf } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import type { Instead } from "../base/hints.ts";
import { hintsFor } from "../base/hints-for.ts";
import { isOwnTag } from "../context/sanitize.ts";
import { notAHookProblem } from "../hooks/check-hook.ts";
import type { AgentOptions, AgentRole } from "./agent.ts";

/** The form of the option `userData`, for errors. */
const GROUPED = "`userData: { read, per, timeoutMs }`";

const OPTIONS: OptionKinds<AgentOptions<unknown>> = {
  name: "string!",
  version: "string",
  // `checkModel` checks the value.
  model: { mustBe: 'a ModelClient, e.g. claude("claude-sonnet-5-5")', is: () => true, required: true },
  instructions: "string!",
  tools: {
    mustBe: "a list, e.g. tools: [getWeather], or a function",
    is: (value) => Array.isArray(value) || typeof value === "function",
  },
  roles: "object",
  handOverTo: {
    mustBe: 'agents and what they are for, e.g. { billing: "It knows invoices." }',
    is: (value) =>
      kindOf(value) === "an object" && Object.values(value as object).every((use) => typeof use === "string"),
  },
  output: "any",
  clientTools: {
    mustBe: "true or false: clients offer the tools themselves, e.g. by useAgent({ tools })",
    is: (value) => typeof value === "boolean",
  },
  toolsTimeoutMs: COUNT,
  toolsLimit: COUNT,
  hooks: listOf("hooks: [approval({ … })]"),
  stopWhen: listOf("stopWhen: [stopOnFailedTurns(3)]"),
  limits: "object",
  sessionLimits: "object",
  onLimit: oneOf("stop", "land"),
  stopMessages: "object",
  estimateTokens: "function",
  maxTokens: COUNT,
  toolOnly: "boolean",
  toolConcurrency: COUNT,
  resultLimit: COUNT,
  storedResultLimit: COUNT,
  resultTag: {
    mustBe: 'the name of an XML tag that Pawl does not use itself, e.g. "result"',
    is: isOwnTag,
    isPublic: true,
  },
  userData: {
    mustBe: `an object, ${GROUPED}`,
    is: (value) => typeof value === "object",
  },
  checkpointWhen: listOf("checkpointWhen: [summarize({ … })]"),
  whenBusy: oneOf("reject", "queue", "interrupt"),
};

const USER_DATA_KINDS: OptionKinds<NonNullable<AgentOptions<unknown>["userData"]>> = {
  read: "function!",
  per: oneOf("turn", "run"),
  timeoutMs: COUNT,
};

const isFunction = (value: unknown) => typeof value === "function";

interface ItemKind {
  mustBe: string;
  is(item: unknown): boolean;
}

/** How the items of each list are checked. */
const ITEMS: { readonly [list in "tools" | "stopWhen" | "checkpointWhen"]: ItemKind } = {
  tools: { mustBe: "made by tool()", is: (made) => typeof Object(made).spec?.input_schema === "object" },
  stopWhen: { mustBe: "a function, e.g. stopOnFailedTurns(3)", is: isFunction },
  checkpointWhen: { mustBe: "a function, e.g. summarize({ … })", is: isFunction },
};

/** Checks the names and kinds of an agent's options. @throws PawlError `config` */
export function checkAgentOptions(options: unknown): void {
  const fields = Object(options) as { [name: string]: unknown };
  const whose = typeof fields.name === "string" ? `agent("${fields.name}")` : "agent()";
  checkOptions(whose, options, OPTIONS, { instead: hintsFor("agent") });
  if (fields.userData !== undefined)
    checkOptions(`\`userData\` of ${whose}`, fields.userData, USER_DATA_KINDS);
  const values = new Map(Object.entries(fields));
  for (const list of Object.keys(ITEMS) as (keyof typeof ITEMS)[]) {
    const items = values.get(list) ?? [];
    if (Array.isArray(items)) checkItems(whose, list, items);
  }
  for (const [role, given] of Object.entries(fields.roles ?? {})) checkRole(`roles.${role}`, whose, given);
  for (const [index, hook] of ((fields.hooks ?? []) as unknown[]).entries()) {
    const wrong = notAHookProblem(hook);
    if (wrong !== undefined) throw new PawlError("config", `\`hooks[${index}]\` of ${whose} ${wrong}`);
  }
  // Hooks and stop conditions may have stop types of their own, so every name is allowed.
  for (const [type, text] of Object.entries(fields.stopMessages ?? {})) {
    if (text === undefined || typeof text === "string") continue;
    const message = `\`stopMessages.${type}\` of ${whose} must be a string; got ${kindOf(text)}.`;
    throw new PawlError("config", message);
  }
}

const ROLE_KINDS: OptionKinds<Omit<AgentRole, keyof Instead<"role">>> = {
  instructions: "string!",
  tools: "list",
  model: "any",
  to: "list",
  description: "string",
};

/** Checks the names and kinds of a role's fields. @throws PawlError `config` */
function checkRole(role: string, whose: string, given: unknown): void {
  checkOptions(`\`${role}\` of ${whose}`, given, ROLE_KINDS, { instead: hintsFor("role") });
  checkItems(whose, "tools", Object(given).tools ?? [], `${role}.tools`);
}

/** Checks the items of one of an agent's lists. @throws PawlError `config` */
export function checkItems(
  whose: string,
  list: keyof typeof ITEMS,
  items: readonly unknown[],
  name: string = list,
): void {
  const { mustBe, is } = ITEMS[list];
  const index = items.findIndex((item) => !is(item));
  if (index < 0) return;
  const message = `\`${name}[${index}]\` of ${whose} must be ${mustBe}; got ${kindOf(items[index])}.`;
  throw new PawlError("config", message);
}
