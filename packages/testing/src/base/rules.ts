import type { Reply } from "./reply.ts";

/** Facts about a request, for a rule. */
export interface RuleContext {
  /** The number of valid requests before this one. */
  n: number;
  /** The number of the model's answers in the request since the user's last text. */
  turn: number;
  /** The text of the user's last message that has text. */
  input: string;
}

/** Returns the rules, or a script as rules. */
export function replyFrom<R>({
  script = [],
  rules,
}: {
  script?: readonly Reply[];
  rules?: (request: R, context: RuleContext) => Reply | Promise<Reply>;
}): (request: R, context: RuleContext) => Reply | Promise<Reply> {
  if (rules !== undefined) return rules;
  return (_request, { n }) => {
    const reply = script[n];
    if (reply === undefined) throw endOfScript(n, script.length);
    return reply;
  };
}

/** Returns the error for a call after the last reply of a script. */
export function endOfScript(n: number, length: number): Error {
  return new Error(`The script is too short: this is call ${n + 1}, and it has replies for ${length}.`);
}
