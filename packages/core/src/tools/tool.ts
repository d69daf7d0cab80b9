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

/** What a tool knows beside its input. */
export interface ToolContext<Deps = unknown, Answer = unknown> {
  sessionId: string;
  /** The session's owner. */
  userId: string;
  runId: string;
  /** What the run was asked with beside its message, see `RunOptions.params`; empty when absent. */
  params: JsonObject;
  callId: string;
  /**
   * The same for every try of this call, in every process. Hand it to services that know idempotency keys.
   */
  idempotencyKey: string;
  /**
   * What the runtime's `deps` made for this session. Its type is said at the parameter:
   * `(input, { deps }: ToolContext<Deps>)`.
   */
  deps: Deps;
  /** Fires when the run is stopped, the tool's time is up, or the process loses the session. */
  signal: AbortSignal;
  /** The user's answer, if the tool suspends. */
  answer: Answer;
  /** Shows something about the work in progress to whoever watches. Not stored. */
  progress(data: Json): void;
  /**
   * The session's log as it may be shown; without options all of it. What a tool has to remember, it folds
   * from here.
   */
  read(options?: ReadOptions): AsyncIterable<StoredEvent>;
  /**
   * Makes an artifact and returns its id, `art_…`. It is stored in one append with the call's result, if the
   * call succeeds. Throws a PawlError `invalid_input` for a draft that lacks something.
   */
  createArtifact(draft: ArtifactDraft): string;
  /**
   * The session's artifact with this id, as soon as the call that made it has its result. To hand it to the
   * user, return it; with a `format` that names it only, the model is spared the payload.
   */
  artifact(id: string): Promise<Artifact | undefined>;
  /** The mode that a tool has set, or else the session's `metadata.type`. */
  type: string | undefined;
  /** Marks the session as completed once this run ends. */
  completeSession(): void;
  /** Puts the session into another mode, or back to none, if the call succeeds. See `permissions`. */
  setMode(mode: string | null): void;
}

/** A question to the user that the call waits for, across processes and days. */
export interface Suspends<Input, Answer extends Schema> {
  /** What an answer must look like. */
  answer: Answer;
  /** What kind of question this is, for the client to choose a control. Default: the tool's name. */
  kind?: string;
  /** What the client is shown. Default: the input. */
  payload?(input: Input): Json;
}

/** Options of `tool()`. */
export interface ToolOptions<I extends Schema, A extends Schema, Deps> {
  /** 1 to 64 of `a-z A-Z 0-9 _ -`. */
  name: string;
  /** For the model: what the tool does and when to use it. */
  description: string;
  /**
   * What it is called with: zod from 4.2, another schema that describes itself as JSON Schema, `zod3()` or
   * `jsonSchema()`. An object.
   */
  input: I;
  /**
   * Does the work; what it returns goes to the model as JSON, or as it is if it is a string. Throw to fail:
   * the model reads the message, and so does whoever sees the log. A suspending tool's `execute` runs after
   * the answer; without one, the answer is the result.
   */
  execute?: (input: Infer<I>, context: ToolContext<Deps, Infer<A>>) => unknown;
  /** The call waits for the user's answer. Default: it does not. */
  suspends?: Suspends<Infer<I>, A>;
  /**
   * What the model reads of a result: a text, or blocks of the Messages API. Fields that these do not have in
   * a result are left out; for what it would refuse, the default is taken. Clients over HTTP are sent the
   * result instead, so text for the model alone, e.g. instructions, belongs here. Default: a string as it is,
   * anything else as JSON.
   */
  format?(result: Json): string | ContentBlock[];
  /** The most characters that the model reads of a result; default: the agent's `resultLimit`. */
  maxResultChars?: number;
  /**
   * Texts of the input that the model need not read again once the call has succeeded, e.g. `["content"]`:
   * from then on it reads `[saved: 5210 chars]` in their place. Instead of a list, an object says the word:
   * `{ content: "sent" }`. Do not ask the model to look such texts up in its earlier calls.
   */
  shortenInput?: readonly (keyof Infer<I> & string)[] | { readonly [field in keyof Infer<I>]?: string };
  /** Lines for the user while the tool works and when it is done. */
  status?: { start?: string; done?: string };
  /** A label of your own, e.g. for grouping in a user interface. */
  category?: string;
  /**
   * After this many milliseconds the call is answered with an error; up to 2,147,483,647. Default: only the
   * run's own time counts.
   */
  timeoutMs?: number;
  /**
   * A call that was cut off by a crash runs again, with the same idempotency key. Otherwise it never does.
   * Default: no.
   */
  idempotent?: boolean;
  /**
   * May be called again with the same input in one run. Otherwise a call that has succeeded is not run again.
   * Default: no.
   */
  repeatable?: boolean;
  /**
   * Tools whose results this one's input depends on: in one turn with one of them, it is told to wait for the
   * next turn. With its own name, of several calls in a turn only the first runs. Default: none.
   */
  dependsOn?: readonly string[];
  /** The run ends after this tool succeeded; given a status, the session is left with it. Default: no. */
  endsRun?: boolean | SessionStatus;
}

/**
 * A tool, ready to be used by an agent. Made by {@link tool}. What it needs of `deps` is part of its type.
 */
export interface Tool<Deps = unknown> {
  readonly name: string;
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
  /** The agent that does the work, see {@link agentTool}. */
  readonly delegate?: Delegate;
  readonly execute?: (input: unknown, context: ToolContext<Deps>) => unknown;
  format?(result: Json): string | ContentBlock[];
}

/** The longest that a timer can wait, in milliseconds. */
const MAX_TIMER_MS = 2_147_483_647;

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Defines a tool. The types of `execute` follow from the schemas.
 *
 * @throws PawlError `config` for a bad name, schemas that JSON Schema cannot express, an input that is no
 * object, a `timeoutMs` or `maxResultChars` that is none, fields in `shortenInput` that the input does not
 * have, or a tool that does nothing.
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
    throw new PawlError("config", `"${name}" is no tool name: 1 to 64 letters, digits, _ and - are allowed.`);
  }
  if (execute === undefined && suspends === undefined) {
    throw new PawlError("config", `The tool "${name}" needs execute, or suspends, or both.`);
  }
  if (timeoutMs !== undefined && !(timeoutMs >= 1 && timeoutMs <= MAX_TIMER_MS)) {
    throw new PawlError(
      "config",
      `timeoutMs of the tool "${name}" must be from 1 to ${MAX_TIMER_MS}; leave it out for none.`,
    );
  }
  const inputSchema = toJsonSchema(input, `the tool "${name}"`);
  if (inputSchema.type !== "object") {
    throw new PawlError("config", `The input schema of the tool "${name}" must describe an object.`);
  }
  if (suspends !== undefined) toJsonSchema(suspends.answer, `answers to "${name}"`);
  if (maxResultChars !== undefined && (!Number.isInteger(maxResultChars) || maxResultChars < 1)) {
    throw new PawlError("config", `maxResultChars of the tool "${name}" must be a whole number from 1.`);
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

/** Another agent that does a tool's work, as far as the tool knows it. */
export interface Delegate {
  /** What one task may use up, where it differs from the agent's own limits. */
  readonly limits: Partial<Budget>;
  /** All limits of one task: those, and the agent's own. */
  readonly budget: Budget;
  /** All models that its work may be charged for. */
  readonly models: readonly ModelClient[];
  /** How many agents stand below the caller, one below the other. */
  readonly depth: number;
  /** The task, in the words that the agent is given as a message. */
  message(input: unknown): string;
  /** The caller's readers see what it writes. */
  readonly showsText: boolean;
}
