import { wrongValueText } from "../base/check-numbers.ts";
import { checkOptions, kindOf, type OptionKinds } from "../base/check-options.ts";
import { messageOf, PawlError, type PawlErrorCode } from "../base/errors.ts";
import { type Json, toJson } from "../base/json.ts";
import type { EventData } from "../log/event-data.ts";
import { listedProblems } from "../schema/problems.ts";
import type { Schema } from "../schema/schema.ts";

/**
 * A time: `afterMs` milliseconds after the question was stored, or `at` a fixed time, as ISO 8601 with
 * its zone or a `Date`. The store's clock decides for both; in Postgres, the database's.
 */
export type Moment = { afterMs: number; at?: never } | { at: string | Date; afterMs?: never };

/**
 * When an unanswered question gets the answer `default`, which must match the question's schema. From that
 * time on, any process with `runtime.start()` stores the default as the answer. A user's answer that is
 * stored before the default counts, even if it came after that time.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime, tool } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 * import * as z from "zod";
 *
 * const confirm = tool({
 *   name: "confirm",
 *   description: "Asks the user for a yes or no.",
 *   input: z.object({}),
 *   suspends: {
 *     answer: z.object({ yes: z.boolean() }),
 *     expires: { afterMs: 24 * 3_600_000, default: { yes: false } },
 *   },
 * });
 * const clerk = agent({
 *   name: "clerk",
 *   model: scriptedModel([{ tools: [{ name: "confirm" }] }]),
 *   instructions: "Ask first.",
 *   tools: [confirm],
 * });
 * const pawl = runtime({ agents: [clerk], store: memoryStore() });
 * const { pending } = await pawl.run(clerk, { userId: "ada", input: "Delete it." }).result;
 * console.log(pending[0]?.expires?.default); // { yes: false }
 * await pawl.drain();
 * ```
 */
export type Expiry<Answer = Json> = Moment & { default: Answer };

/** An expiry as it is stored with a question. */
export type StoredExpiry = NonNullable<EventData["tool_suspended"]["expires"]>;

/** The longest time until a question expires: a hundred years, in milliseconds. */
const LONGEST_MS = 100 * 365.25 * 86_400_000;

/**
 * Checks a question's expiry and returns it as it is stored. Checks the default by the schema, unless the
 * schema validates asynchronously.
 *
 * @throws PawlError `invalid_input`, or `code`.
 */
export function storedExpiry(
  whose: string,
  expiry: Expiry<unknown>,
  answer: Schema,
  code: PawlErrorCode = "invalid_input",
): StoredExpiry {
  const name = `\`expires\` of ${whose}`;
  checkOptions(name, expiry, EXPIRY, { code });
  const moment = storedMoment(name, expiry, code);
  const value = storedDefault(whose, expiry.default, code);
  const validation = answer["~standard"].validate(value as never);
  if ("then" in validation) {
    // An asynchronous validation is not awaited. Unhandled, its rejection would end the process.
    validation.then(undefined, () => undefined);
  } else if (validation.issues !== undefined) {
    const problems = listedProblems(validation.issues.map(({ message }) => message));
    throw new PawlError(code, `The \`default\` of ${name} does not match the answer's schema: ${problems}`);
  }
  return { ...moment, default: value };
}

const EXPIRY: OptionKinds<Expiry<unknown>> = { afterMs: "number", at: "any", default: "any!" };

function storedDefault(whose: string, value: unknown, code: PawlErrorCode): Json {
  try {
    return toJson(value);
  } catch (cause) {
    throw new PawlError(code, `The \`default\` of ${whose} must be JSON: ${messageOf(cause)}`, { cause });
  }
}

/** Checks a time and returns it as it is stored. @throws PawlError `invalid_input`, or `code` */
export function storedMoment(
  whose: string,
  { afterMs, at }: Moment,
  code: PawlErrorCode = "invalid_input",
): Omit<StoredExpiry, "default"> {
  if ((afterMs === undefined) === (at === undefined))
    throw new PawlError(code, `${whose} needs either \`afterMs\`, in milliseconds, or \`at\`, a time.`);
  if (afterMs !== undefined) {
    if (!(typeof afterMs === "number" && afterMs >= 0 && afterMs <= LONGEST_MS))
      throw new PawlError(
        code,
        `afterMs of ${whose} must be from 0 to ${LONGEST_MS}${wrongValueText(afterMs)}.`,
      );
    return { after_ms: Math.round(afterMs) };
  }
  const ms =
    at instanceof Date ? at.getTime() : Date.parse(typeof at === "string" && ZONED.test(at) ? at : "");
  if (ms >= 0 && ms < LATEST_MS) return { at: new Date(ms).toISOString() };
  const given = typeof at === "string" ? JSON.stringify(at) : kindOf(at);
  throw new PawlError(
    code,
    `\`at\` of ${whose} must be a Date, or a time as ISO 8601 with its zone, e.g. "2026-12-24T18:00:00Z" or "2026-12-24T18:00:00+01:00"; got ${given}.`,
  );
}

/** A date and a time with its offset. Without one, each process would read the time in its own zone. */
const ZONED = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/i;

/**
 * The year 9000, in milliseconds since 1970. As ISO 8601, all times from 1970 until then are equally long.
 */
const LATEST_MS = Date.UTC(9000, 0);
