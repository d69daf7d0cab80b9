import { checkNumbers } from "../../base/check-numbers.ts";
import { checkOptions, kindOf, type OptionKinds, SIGNAL } from "../../base/check-options.ts";
import { PawlError } from "../../base/errors.ts";
import type { Runtime } from "../begin/runtime-types.ts";

/** The type of the options of a runtime's method. */
type Options<Method extends keyof Runtime> = NonNullable<
  Parameters<Extract<Runtime[Method], (...args: never[]) => unknown>>[Method extends "redact"
    ? 2
    : Method extends "drain" | "sweep" | "start"
      ? 0
      : 1]
>;

/** The options of each method of a runtime that takes a session's id and options, with their kinds. */
const OPTIONS: {
  readonly [Method in
    | "view"
    | "stop"
    | "follow"
    | "fork"
    | "recover"
    | "redact"
    | "startContextAt"]: OptionKinds<Options<Method>>;
} = {
  view: { userId: "string!" },
  stop: { userId: "string!" },
  follow: {
    afterSeq: "number",
    live: "object",
    signal: SIGNAL,
    untilIdle: "any",
    resume: "boolean",
    caller: "object",
    credentials: "any",
  },
  recover: { signal: SIGNAL },
  fork: { userId: "string!", atSeq: "number" },
  redact: { userId: "string!", throughSeq: "number" },
  startContextAt: { userId: "string!", fromSeq: "number!" },
};

const DRAIN: OptionKinds<Options<"drain">> = { timeoutMs: "number" };

const SWEEP: OptionKinds<Options<"sweep">> = { wait: "boolean" };

const START_OPTIONS: OptionKinds<Options<"start">> = { concurrency: "number" };

/** Hints for option names that other libraries use. */
const INSTEAD = { user: "Use `userId`.", cursor: "Use `afterSeq`.", seq: "Use `afterSeq` or `atSeq`." };

/** Checks the arguments of a runtime's method. @throws PawlError `invalid_input` */
export function checkCall(method: keyof typeof OPTIONS, sessionId: unknown, options: unknown): void {
  checkId(`${method}()`, "the id of a session", sessionId);
  checkOptions(`${method}()`, options, OPTIONS[method] as OptionKinds<object>, {
    instead: INSTEAD,
    code: "invalid_input",
  });
}

/** Checks the options of `drain()`. @throws PawlError `invalid_input` */
export function checkDrain(options: unknown): void {
  checkOptions("drain()", options, DRAIN, {
    instead: { timeout: "Use `timeoutMs`." },
    code: "invalid_input",
  });
}

/** Checks the options of `sweep()`. @throws PawlError `invalid_input` */
export function checkSweep(options: unknown): void {
  checkOptions("sweep()", options, SWEEP, { code: "invalid_input" });
}

/** Checks the options of `start()`, and returns its limit of runs. @throws PawlError `config` */
export function limitOfStart(options: Options<"start">): number | undefined {
  checkOptions("start()", options, START_OPTIONS);
  const { concurrency } = options;
  checkNumbers("start()", { concurrency: concurrency ?? 1 }, { least: 1, whole: true });
  return concurrency;
}

/**
 * Checks that an id is a string. `owner` and `idName` are for the message.
 *
 * @throws PawlError `invalid_input`
 */
export function checkId(owner: string, idName: string, id: unknown): void {
  if (typeof id === "string") return;
  throw new PawlError("invalid_input", `${owner} needs ${idName}, a string; got ${kindOf(id)}.`);
}
