import type { Reply } from "./reply.ts";

/** What a rule may look at besides the request. */
export interface RuleContext {
  /** How many valid requests came before, 0 for the first. */
  n: number;
  /** How many times the assistant has spoken since the user's last text. */
  turn: number;
  /** The user's last text. */
  input: string;
}

/** The rules, or a script as such. */
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
  return new Error(`The script is over: this is call ${n + 1}, and there are replies for ${length}.`);
}
