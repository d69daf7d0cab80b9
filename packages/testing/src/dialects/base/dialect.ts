import type { JsonObject } from "@pawl/core";

/** The kinds of answers in the corpus, with what each is. */
export const dialectKinds = {
  whole: "a whole answer",
  calls: "a tool call in pieces",
  parallel: "several tool calls",
  reasoning: "reasoning",
  refusal: "the model refuses",
  filter: "a filter blocks",
  overflow: "the prompt is too long",
  broken: "the stream breaks off",
  contentType: "another content type than an event stream",
  brokenCall: "the model's call does not parse",
  errorIn200: "an error in a response with status 200",
  noEnd: "no `[DONE]` or `message_stop` at the end",
  contentList: "content as a list",
  inputObject: "a call's input as an object",
  legacyCall: "the legacy `function_call`",
} as const;

/** A kind of answer. */
export type DialectKind = keyof typeof dialectKinds;

/** A response of a server, and what a model client must make of it. */
export interface DialectCase {
  /** What the server does, in a few words. */
  title: string;
  /**
   * Where the server's behaviour is documented or reported: a URL, or a package with its version. With
   * `inferred from` before it, the source has a part of the answer or a close relative of it: nothing was
   * found that shows this very answer.
   */
  source: string;
  /** The response as the server sends it. Default: status 200, and the content type of an event stream. */
  response: { status?: number; headers?: { readonly [name: string]: string }; body: string };
  /** The outcome that a model client must have. */
  expected: DialectOutcome;
  /** Fields of the first call that the server must get back with it in the next request. Default: none. */
  wantsBack?: JsonObject;
}

/** What a model client makes of a response: an answer, or a failure. */
export interface DialectOutcome {
  /** The text of the answer. Default: none. */
  text?: string;
  /** The complete calls, in order. Default: none. */
  calls?: readonly { readonly name: string; readonly input: JsonObject }[];
  /** The stop reason, in the words of the Messages API. Default: none, the client fails. */
  stop?: string;
  /** Tokens of the prompt and of the answer. Default: not checked. */
  tokens?: readonly [prompt: number, answer: number];
  /** How the client fails: the details of its `model_error` that retries need. Default: it does not fail. */
  failure?: { readonly retryable: boolean; readonly errorCode?: string };
}

/** Why a server has no answer of a kind. */
export interface DialectAbsence {
  /** The reason, as a sentence. */
  absent: string;
}

/** What one server sends, as data. */
export interface Dialect {
  /** A short name, e.g. `mistral`. */
  name: string;
  /** The server's name for people. */
  title: string;
  /** The API that it speaks: Chat Completions or the Messages API. */
  api: "chat" | "messages";
  /** A model's id as this server names its models. */
  model: string;
  /** By kind: one or more answers, or the reason why the server sends no such answer. */
  cases: { readonly [kind in DialectKind]: readonly DialectCase[] | DialectAbsence };
}

/** The text of answers. It has characters of several bytes, so that a packet may end in one. */
export const GREETING = "Grüße aus Oslo. ☕";

type Reason =
  | "refusal"
  | "filter"
  | "reasoning"
  | "streams"
  | "errors"
  | "end"
  | "text"
  | "json"
  | "tools"
  | "messages";

/** Reasons that several servers have in common. */
export const ABSENT: { readonly [reason in Reason]: DialectAbsence } = {
  refusal: { absent: "It has no field and no reason for it: the model refuses in its text." },
  filter: { absent: "It filters nothing." },
  reasoning: { absent: "It shows no reasoning." },
  streams: { absent: "It streams whenever it is asked to." },
  errors: { absent: "No report of such an answer was found." },
  end: { absent: "It always marks the end." },
  text: { absent: "Its content is a string." },
  json: { absent: "It sends the input as JSON text." },
  tools: { absent: "It answers requests with `tools` by `tool_calls`." },
  messages: { absent: "Not a part of the Messages API." },
};
