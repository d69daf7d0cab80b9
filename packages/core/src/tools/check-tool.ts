import { LONGEST_TIMER_MS } from "../base/clock.ts";
import { PawlError } from "../base/errors.ts";

/** Names of other libraries. Without `needsApproval` here, a tool would run that was meant to ask first. */
export const TOOL_NAMES_ELSEWHERE = {
  inputSchema: "Use `input`.",
  parameters: "Use `input`.",
  schema: "Use `input`.",
  run: "Use `execute`.",
  handler: "Use `execute`.",
  func: "Use `execute`.",
  needsApproval: 'Add approval({ when: ["its name"] }) to the `hooks` of the agent.',
  requireApproval: 'Add approval({ when: ["its name"] }) to the `hooks` of the agent.',
  outputSchema: "Results are not checked; return what the model should read.",
  toModelOutput: "Use `format`.",
};

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

interface ToolNumbers {
  works: boolean;
  timeoutMs: number | undefined;
  maxResultChars: number | undefined;
}

/** Checks what a tool's types cannot. @throws PawlError `config` */
export function checkTool(name: string, { works, timeoutMs, maxResultChars }: ToolNumbers): void {
  if (!NAME.test(name)) {
    throw new PawlError("config", `"${name}" is not a valid tool name: use 1 to 64 letters, digits, _ or -.`);
  }
  if (!works) {
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
