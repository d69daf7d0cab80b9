import { checkOptions, type OptionKinds } from "../base/check-options.ts";
import { LONGEST_TIMER_MS } from "../base/clock.ts";
import { PawlError } from "../base/errors.ts";
import type { Schema } from "./schema.ts";
import type { Suspends, ToolOptions } from "./tool.ts";

const OPTIONS: OptionKinds<ToolOptions<Schema, Schema, unknown>> = {
  name: "string!",
  description: "string!",
  input: "any!",
  execute: "function",
  suspends: "object",
  format: "function",
  maxResultChars: "number",
  shortenInput: "any",
  status: "object",
  category: "string",
  timeoutMs: "number",
  idempotent: "boolean",
  repeatable: "boolean",
  dependsOn: "list",
  endsRun: "any",
};

const SUSPENDS: OptionKinds<Suspends<unknown, Schema>> = {
  answer: "any!",
  kind: "string",
  payload: "function",
  expires: "object",
};

const STATUS: OptionKinds<{ start?: string; done?: string }> = { start: "string", done: "string" };

/**
 * Hints for option names of other libraries. If `needsApproval` were ignored, the tool would run without
 * approval.
 */
const INSTEAD = {
  inputSchema: "Use `input`.",
  parameters: "Use `input`.",
  schema: "Use `input`.",
  input_schema: "Use `input`, with jsonSchema({ … }) around JSON Schema.",
  args: "Use `input`.",
  arguments: "Use `input`.",
  run: "Use `execute`.",
  handler: "Use `execute`.",
  func: "Use `execute`.",
  fn: "Use `execute`.",
  function: "Use `execute`.",
  call: "Use `execute`.",
  callback: "Use `execute`.",
  invoke: "Use `execute`.",
  id: "Use `name`.",
  title: "Use `status`, the texts that users see.",
  timeout: "Use `timeoutMs`.",
  returnDirect: "Use `endsRun`.",
  needsApproval: 'Add approval({ when: ["its name"] }) to the `hooks` of the agent.',
  requireApproval: 'Add approval({ when: ["its name"] }) to the `hooks` of the agent.',
  requiresConfirmation: 'Add approval({ when: ["its name"] }) to the `hooks` of the agent.',
  outputSchema: "Results are not checked; return what the model should read.",
  toModelOutput: "Use `format`.",
};

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

interface Named {
  name: string;
  execute?: unknown;
  suspends?: unknown;
  status?: unknown;
  timeoutMs?: number;
  maxResultChars?: number;
}

/** Checks the options of `tool()` except its schemas. @throws PawlError `config` */
export function checkToolOptions(options: Named): void {
  const called: unknown = Object(options).name;
  const whose = typeof called === "string" ? `tool("${called}")` : "tool()";
  checkOptions(whose, options, OPTIONS, { instead: INSTEAD });
  const { name, execute, suspends, status, timeoutMs, maxResultChars } = options;
  if (suspends !== undefined)
    checkOptions(`\`suspends\` of ${whose}`, suspends, SUSPENDS, { instead: { schema: "Use `answer`." } });
  if (status !== undefined) checkOptions(`\`status\` of ${whose}`, status, STATUS);
  if (!NAME.test(name)) {
    throw new PawlError("config", `"${name}" is not a valid tool name: use 1 to 64 letters, digits, _ or -.`);
  }
  if (execute === undefined && suspends === undefined) {
    throw new PawlError("config", `The tool "${name}" needs \`execute\`, or \`suspends\`, or both.`);
  }
  if (timeoutMs !== undefined && !(timeoutMs >= 1 && timeoutMs <= LONGEST_TIMER_MS)) {
    throw new PawlError(
      "config",
      `timeoutMs of the tool "${name}" must be from 1 to ${LONGEST_TIMER_MS}, not ${timeoutMs}; leave it out for no limit.`,
    );
  }
  if (maxResultChars !== undefined && (!Number.isInteger(maxResultChars) || maxResultChars < 1)) {
    throw new PawlError(
      "config",
      `maxResultChars of the tool "${name}" must be a whole number from 1, not ${maxResultChars}.`,
    );
  }
}
