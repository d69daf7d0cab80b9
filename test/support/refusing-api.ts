import type { Json } from "@pawl/core";
import type { Reply } from "@pawl/testing";
import { base64, PICTURES } from "./recorded-files.ts";

/** How an API refuses requests for their content. */
export interface Refusals {
  /** The most characters of a request's messages: each counts as one token. */
  window: number;
  /** The words with which it refuses a longer request; `undefined` for a bare status 413. */
  words: ((tokens: number, window: number) => string) | undefined;
  /** What refuses the word FORBIDDEN: a filter of the API, or the model. */
  by: "filter" | "model";
  /** The most pictures of a request. */
  pictures: number;
  /** Whether answers have thinking. */
  thinks: boolean;
}

/** The words of several APIs, with one, two or more numbers, or with none. */
export const WORDS: readonly ((tokens: number, window: number) => string)[] = [
  (tokens, window) => `prompt is too long: ${tokens} tokens > ${window} maximum`,
  (tokens, window) =>
    `This model's maximum context length is ${window} tokens. However, you requested ${tokens + 2_000} tokens (${tokens} in the messages, 2000 in the completion).`,
  (tokens, window) =>
    `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}): maximum context length is ${window}.`,
  (_, window) => `the request exceeds the available context size (${window} tokens), try increasing it`,
  () => "prompt is too long",
  () => "Input is too long for requested model.",
];

/** A request of either API, as far as the rules read it. */
interface Asked {
  messages: readonly { role: string }[];
}

/** An API that refuses by its rules, and answers by the last command in the messages, e.g. `[[read 5000]]`. */
export interface RefusingApi {
  /** From now on, the API refuses thinking that it made before. */
  changeKeys(): void;
  /** The messages of each refused request as JSON text, in order, and why it was refused. */
  readonly refused: { json: string; by: "size" | "filter" | "model" | "signature" | "files" }[];
  /** How many requests it has answered. */
  readonly answered: () => number;
  reply(request: Asked): Reply;
}

const BROKEN = base64(PICTURES.broken as Uint8Array);

/** Counts a picture as one character, and not its bytes. */
const withoutBytes = (json: string) => json.replace(/("data":"|;base64,)[^"]{40,}"/g, '$1"');

export function refusingApi(rules: Refusals): RefusingApi {
  let key = 0;
  let answered = 0;
  const refused: RefusingApi["refused"] = [];
  return {
    refused,
    answered: () => answered,
    changeKeys: () => {
      key += 1;
    },
    reply: ({ messages }) => {
      const json = JSON.stringify(messages);
      const refusal = refusalOf(rules, json, key);
      if (refusal !== undefined) {
        refused.push({ json, by: refusal.by });
        return refusal.reply;
      }
      answered += 1;
      const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
      const reply = answerTo(JSON.stringify(messages.slice(lastAnswer + 1)));
      return rules.thinks ? { thinking: `Thought with key ${key}.`, ...reply } : reply;
    },
  };
}

type Refusal = { by: RefusingApi["refused"][number]["by"]; reply: Reply };

function refusalOf(rules: Refusals, json: string, key: number): Refusal | undefined {
  const { window, words, by, pictures } = rules;
  const tokens = withoutBytes(json).length;
  if (tokens > window) {
    const fault =
      words === undefined
        ? { status: 413, message: "Request exceeds the maximum size", errorCode: "context_length_exceeded" }
        : { status: 400, message: words(tokens, window), errorCode: "context_length_exceeded" };
    return { by: "size", reply: { fault } };
  }
  const thoughts = [...json.matchAll(/Thought with key (\d+)\./g)];
  if (thoughts.some(([, madeWith]) => Number(madeWith) !== key))
    return asFault("signature", "messages.1.content.0: Invalid `signature` in `thinking` block");
  if (json.includes(BROKEN)) return asFault("files", "messages.0.content.0: Could not process image");
  if (json.split(/"type":"image(?:_url)?"/).length - 1 > pictures)
    return asFault("files", `At most ${pictures} image(s) may be provided in one request.`);
  if (!json.includes("FORBIDDEN")) return undefined;
  if (by === "model") return { by, reply: { text: "I cannot help with that.", stop: "refusal" } };
  const message = "The prompt triggered the content management policy (content_filter).";
  return { by, reply: { fault: { status: 400, message, errorCode: "content_filter" } } };
}

function asFault(by: Refusal["by"], message: string): Refusal {
  return { by, reply: { fault: { status: 400, message } } };
}

/** Returns the answer to the last command in the JSON text of the newest messages; after results, a text. */
function answerTo(json: string): Reply {
  const commands = [...json.matchAll(/\[\[(\w+) (\w+)\]\]/g)];
  const last = commands.at(-1);
  const lastResult = Math.max(json.lastIndexOf('"tool_result"'), json.lastIndexOf('"role":"tool"'));
  if (last === undefined || last.index < lastResult) return { text: "Done." };
  const [, name = "", value = ""] = last;
  if (name === "say") return { text: "I say. ".padEnd(Number(value), "t") };
  return { text: "Let me see.", tools: [{ name, input: inputOf(name, value) }] };
}

function inputOf(name: string, value: string): Json {
  if (name === "write") {
    const count = Number(value) / 4;
    return { text: "w".repeat(count), rows: Array.from({ length: count }, (_, n) => n % 10) };
  }
  if (name === "helper") return { task: `${"h".repeat(Number(value))} [[read ${value}]]` };
  return { value };
}
