import { PawlError } from "@pawl/core";
import { checkReply } from "./check-reply.ts";
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

/** Returns the rules, or a script as rules. `whose` names the script's owner in errors. */
export function replyFrom<R>(
  whose: string,
  {
    script: given,
    rules,
  }: {
    script?: readonly Reply[];
    rules?: (request: R, context: RuleContext) => Reply | Promise<Reply>;
  },
): (request: R, context: RuleContext) => Promise<Reply> {
  const script = given ?? [];
  for (const [at, reply] of script.entries()) checkReply(`\`script[${at}]\` of ${whose}`, reply);
  return async (request, context) => {
    if (rules === undefined) {
      const missing = given ? endOfScript(whose, context.n, script.length) : noReplies(whose);
      return script[context.n] ?? refuse(missing);
    }
    const reply = await rules(request, context);
    checkReply(`The reply that \`rules\` of ${whose} returned`, reply);
    return reply;
  };
}

function refuse(error: Error): never {
  throw error;
}

function noReplies(whose: string): PawlError {
  const message = `${whose} has no replies: it needs a \`script\`, e.g. [{ text: "Hello." }], or \`rules\`.`;
  return new PawlError("config", message);
}

/** Returns the error for a request after the last reply of a script. No wrapper retries it. */
export function endOfScript(whose: string, n: number, length: number): PawlError {
  const has = length === 1 ? "1 reply" : `${length} replies`;
  return new PawlError(
    "config",
    `The script of ${whose} is out of replies: it has ${has}, and this is request ${n + 1}.`,
  );
}
