import { checkOptions, type OptionKinds, PawlError } from "@pawl/core";
import type { Fault, Reply, ReplyTool } from "./reply.ts";

const REPLY: OptionKinds<Reply> = {
  thinking: "string",
  text: "string",
  tools: "list",
  output: "any",
  content: "list",
  stop: "any",
  stopSequence: "string",
  usage: "object",
  clip: "number",
  fault: "object",
  deltas: "number",
  latencyMs: "number",
  delayPerEventMs: "number",
};

/** Names of other libraries. */
const INSTEAD = {
  toolCalls: "Use `tools`.",
  tool_calls: "Use `tools`.",
  error: "Use `fault`.",
  finishReason: "Use `stop`.",
  stop_reason: "Use `stop`.",
};

const TOOL: OptionKinds<ReplyTool> = { name: "string!", input: "any", id: "string" };

/** The fields of each kind of fault, keyed by the field that only this kind has. */
const FAULTS: { readonly [name: string]: OptionKinds<object> } = {
  status: kinds<Extract<Fault, { status: number }>>({
    status: "number!",
    type: "string",
    message: "string",
    errorCode: "string",
    retryAfter: "number",
  }),
  midStream: kinds<Extract<Fault, { midStream: string }>>({ midStream: "string!", afterEvents: "number" }),
  cut: kinds<Extract<Fault, { cut: number }>>({ cut: "number!", end: "boolean" }),
  stall: kinds<Extract<Fault, { stall: number }>>({ stall: "number!" }),
};

function kinds<T extends object>(of: OptionKinds<T>): OptionKinds<object> {
  return of;
}

/** Checks a scripted reply. @throws PawlError `config` that names the reply as `whose` */
export function checkReply(whose: string, reply: unknown): asserts reply is Reply {
  if (typeof reply !== "object" || reply === null)
    throw new PawlError(
      "config",
      `${whose} must be a reply, e.g. { text: "Hello." }; got ${reply === undefined || reply === null ? reply : `a ${typeof reply}`}.`,
    );
  checkOptions(whose, reply, REPLY, { instead: INSTEAD });
  const { fault, tools = [] } = reply as Reply;
  for (const [at, tool] of tools.entries()) checkOptions(`\`tools[${at}]\` of ${whose}`, tool, TOOL);
  if (fault === undefined) return;
  const kind = Object.entries(FAULTS).find(([name]) => Object.hasOwn(fault, name));
  if (kind === undefined)
    throw new PawlError(
      "config",
      `\`fault\` of ${whose} must have ${Object.keys(FAULTS).join(", ")}; got ${Object.keys(fault).join(", ") || "none of them"}.`,
    );
  checkOptions(`\`fault\` of ${whose}`, fault, kind[1]);
}
