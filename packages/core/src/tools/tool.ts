import { LONGEST_TIMER_MS } from "../base/clock.ts";
import { PawlError } from "../base/errors.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { type ShortenInput, shortenedFields } from "../context/shorten-input.ts";
import type { Budget } from "../log/budget.ts";
import type { StoredEvent } from "../log/event.ts";
import type { ReadOptions } from "../log/event-store.ts";
import type { SessionStatus } from "../log/session-row.ts";
import type { ContentBlock, ToolSpec } from "../model/content.ts";
import type { ModelClient } from "../model/model-client.ts";
import type { Artifact, ArtifactDraft } from "./artifact.ts";
import type { Infer, Schema } from "./schema.ts";
import { toJsonSchema } from "./to-json-schema.ts";

/** What a tool's `execute` gets besides its input. */
export interface ToolContext<Deps = unknown, Answer = unknown> {
  sessionId: string;
  /** The session's owner. */
  userId: string;
  runId: string;
  /** The run's `params`, see `RunOptions.params`. Empty if there are none. */
  params: JsonObject;
  callId: string;
  /**
   * The same for every attempt at this call, in every process. Pass it to services that support idempotency
   * keys.
   */
  idempotencyKey: string;
  /**
   * What the runtime's `deps` returned for this session. Declare its type at the parameter:
   * `(input, { deps }: ToolContext<Deps>)`.
   */
  deps: Deps;
  /** Aborts when the run is stopped, the tool's time is up, or the process loses the session. */
  signal: AbortSignal;
  /** The user's answer, if the tool `suspends`. */
  answer: Answer;
  /** Sends a progress report to readers who are connected now. It is not stored. */
  progress(data: Json): void;
  /**
   * Reads the session's log, without what was redacted. Without options, all of it. A tool that has to
   * remember something can fold it from here.
   */
  read(options?: ReadOptions): AsyncIterable<StoredEvent>;
  /**
   * Makes an artifact and returns its id, `art_…`. If the call succeeds, the artifact is stored in one append
   * with its result. Throws a PawlError `invalid_input` for an incomplete draft.
   */
  createArtifact(draft: ArtifactDraft): string;
  /**
   * Finds the session's artifact with this id. An artifact can be found once the call that made it has its
   * result. To give it to the user, return it, and use `format` to show the model its name instead of the
   * payload.
   */
  artifact(id: string): Promise<Artifact | undefined>;
  /** The session's mode if a tool has set one, or else its `metadata.type`. */
  type: string | undefined;
  /** Marks the session as completed once this run ends. */
  completeSession(): void;
  /** Sets the session's mode, or clears it with `null`, if the call succeeds. See `permissions`. */
  setMode(mode: string | null): void;
}

/** A question to the user. The call waits for the answer, if necessary for days and across processes. */
export interface Suspends<Input, Answer extends Schema> {
  /** The schema that an answer must match. */
  answer: Answer;
  /** The kind of question, by which the client chooses a control. Default: the tool's name. */
  kind?: string;
  /** Returns what the client shows. Default: the input. */
  payload?(input: Input): Json;
}

/** Options of `tool()`. */
export interface ToolOptions<I extends Schema, A extends Schema, Deps> {
  /** 1 to 64 characters of `a-z A-Z 0-9 _ -`, unique among the agent's tools. */
  name: string;
  /** For the model: what the tool does and when to use it. */
  description: string;
  /**
   * The schema of the input, which must be an object: zod from 4.2, another schema that describes itself as
   * JSON Schema, `zod3()` or `jsonSchema()`.
   */
  input: I;
  /**
   * Does the work. The model reads what it returns: a string as it is, anything else as JSON. Throw to fail;
   * the error's message goes to the model and into the log. With `suspends`, `execute` runs after the answer;
   * without `execute`, the answer is the result.
   */
  execute?: (input: Infer<I>, context: ToolContext<Deps, Infer<A>>) => unknown;
  /** Makes the call wait for the user's answer. Default: it does not wait. */
  suspends?: Suspends<Infer<I>, A>;
  /**
   * Returns what the model reads of a result: a string, or content blocks of the Messages API. Fields that
   * the API does not allow in a result are removed; if it would refuse a block, the default is used. Default:
   * a string as it is, anything else as JSON.
   *
   * Clients over HTTP get the result and not this. Text for the model alone, e.g. instructions, belongs here.
   */
  format?(result: Json): string | ContentBlock[];
  /** The most characters that the model reads of a result. Default: the agent's `resultLimit`. */
  maxResultChars?: number;
  /**
   * Fields of the input whose text the model need not read again once the call has succeeded, e.g.
   * `["content"]`. From then on it reads `[saved: 5210 chars]` instead. An object chooses the word:
   * `{ content: "sent" }`. Do not ask the model to look such texts up in its earlier calls.
   */
  shortenInput?: readonly (keyof Infer<I> & string)[] | { readonly [field in keyof Infer<I>]?: string };
  /** Lines for the user while the tool is running and when it is done. */
  status?: { start?: string; done?: string };
  /** A label of your own, e.g. for grouping in a user interface. */
  category?: string;
  /**
   * Time limit in milliseconds, up to 2,147,483,647. A call that takes longer is answered with an error.
   * Default: none but the run's own.
   */
  timeoutMs?: number;
  /**
   * Whether a call that was cut off by a crash runs again, with the same idempotency key. Otherwise the model
   * is told that its outcome is unknown. Default: no.
   */
  idempotent?: boolean;
  /**
   * Whether a run may repeat a call that has succeeded with the same input. Otherwise the repetition is
   * skipped. Default: no.
   */
  repeatable?: boolean;
  /**
   * Names of tools whose results the input depends on. If the model calls one of them in the same turn, this
   * call is skipped and the model is told to make it in the next turn. With the tool's own name in the list,
   * only the first of its calls in a turn runs. Default: none.
   */
  dependsOn?: readonly string[];
  /**
   * Whether the run ends after this tool succeeded. A status instead of `true` also sets the session's
   * status. Default: no.
   */
  endsRun?: boolean | SessionStatus;
}

/**
 * A tool for an agent, made by {@link tool}. Its fields are those of {@link ToolOptions} with the defaults
 * filled in. Its type includes what it needs of `deps`.
 */
export interface Tool<Deps = unknown> {
  readonly name: string;
  /** The tool as it is sent to the model. */
  readonly spec: ToolSpec;
  readonly input: Schema;
  readonly category: string | undefined;
  readonly status: { readonly start?: string; readonly done?: string };
  readonly timeoutMs: number | undefined;
  readonly maxResultChars: number | undefined;
  readonly shortenInput: ShortenInput | undefined;
  readonly idempotent: boolean;
  readonly repeatable: boolean;
  readonly dependsOn: readonly string[];
  readonly endsRun: boolean | SessionStatus;
  readonly suspends: Suspends<unknown, Schema> | undefined;
  /** The agent that does the work, if the tool was made by `agentTool()`. */
  readonly delegate?: Delegate;
  readonly execute?: (input: unknown, context: ToolContext<Deps>) => unknown;
  format?(result: Json): string | ContentBlock[];
}

/** The longest that a timer can wait, in milliseconds. */

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Defines a tool. The types of `execute` follow from the schemas.
 *
 * @throws PawlError `config` for an invalid name, an input that is not an object, a schema that cannot be
 * expressed as JSON Schema, a `timeoutMs` or `maxResultChars` out of range, fields in `shortenInput` that the
 * input does not have, or a tool with neither `execute` nor `suspends`.
 *
 * @example
 * ```ts
 * import { tool } from "@pawl/core";
 * import * as z from "zod";
 *
 * const add = tool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b,
 * });
 *
 * const confirm = tool({
 *   name: "confirm",
 *   description: "Asks the user for a yes or no, and waits for it.",
 *   input: z.object({ question: z.string() }),
 *   suspends: { answer: z.object({ yes: z.boolean() }) },
 * });
 * console.log(add.spec.input_schema.type, confirm.name);
 * ```
 */
export function tool<I extends Schema, A extends Schema = Schema, Deps = unknown>(
  options: ToolOptions<I, A, Deps>,
): Tool<Deps> {
  const { name, description, input, execute, suspends, format, status = {}, category, timeoutMs } = options;
  const { idempotent = false, endsRun = false, maxResultChars, shortenInput } = options;
  const { repeatable = false, dependsOn = [] } = options;
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
  const inputSchema = toJsonSchema(input, `the tool "${name}"`);
  if (inputSchema.type !== "object") {
    throw new PawlError("config", `The input schema of the tool "${name}" must describe an object.`);
  }
  if (suspends !== undefined) toJsonSchema(suspends.answer, `answers to "${name}"`);
  if (maxResultChars !== undefined && (!Number.isInteger(maxResultChars) || maxResultChars < 1)) {
    throw new PawlError(
      "config",
      `maxResultChars of the tool "${name}" must be a whole number from 1, not ${maxResultChars}.`,
    );
  }
  return {
    name,
    spec: { name, description, input_schema: inputSchema },
    input,
    category,
    status,
    timeoutMs,
    maxResultChars,
    shortenInput: shortenedFields(shortenInput as ShortenInput | undefined, name, inputSchema),
    idempotent,
    repeatable,
    dependsOn,
    endsRun,
    suspends: suspends as Suspends<unknown, Schema> | undefined,
    ...(execute && { execute: execute as Tool<Deps>["execute"] & {} }),
    ...(format && { format }),
  };
}

/** What a tool knows of the agent that does its work. */
export interface Delegate {
  /** What one task may use, where that differs from the agent's own limits. */
  readonly limits: Partial<Budget>;
  /** All limits of one task: the agent's own, overridden by `limits`. */
  readonly budget: Budget;
  /** All models that its work may be charged for. */
  readonly models: readonly ModelClient[];
  /** How many levels of agents there are below the caller. */
  readonly depth: number;
  /** Turns the input into the message that the agent gets. */
  message(input: unknown): string;
  /** Whether readers of the caller's session see its text while it is written. */
  readonly showsText: boolean;
}
