import type { Reply } from "./reply.ts";

/** What a rule gets besides the request. */
export interface RuleContext {
  /** How many valid requests came before, 0 for the first. */
  n: number;
  /** How many answers the request has since the user's last text. */
  turn: number;
  /** The user's last text. */
  input: string;
}

/** The rules, or a script as rules. */
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

/** The error of a script that is shorter than the run. */
export function endOfScript(n: number, length: number): Error {
  return new Error(`The script is too short: this is call ${n + 1}, and it has replies for ${length}.`);
}
