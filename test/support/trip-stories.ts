import {
  type Agent,
  agent,
  type EventStore,
  type ModelClient,
  type ModelRequest,
  type Runtime,
  runtime,
  tool,
} from "@pawl/core";
import { handler } from "@pawl/sse";
import { type Reply, scriptedModel } from "@pawl/testing";
import { z } from "zod";
import type { Trip, Trips } from "./counted-trips.ts";
import { pause } from "./pause.ts";

/** What a story is about, and its requests. The last one is measured. */
interface Story {
  name: string;
  /** Requests before it, in the same session. */
  before: readonly Request[];
  request: Request;
}

type Request = { input: string } | { answer: string };

/** The five stories whose trips are counted. */
export const stories: readonly Story[] = [
  { name: "new session", before: [], request: { input: "Hello." } },
  { name: "second message", before: [{ input: "Hello." }], request: { input: "And now?" } },
  { name: "one tool", before: [{ input: "Hello." }], request: { input: "look at 1" } },
  { name: "four tools", before: [{ input: "Hello." }], request: { input: "look at 4" } },
  { name: "question", before: [{ input: "Hello." }], request: { input: "ask" } },
  { name: "answer", before: [{ input: "Hello." }, { input: "ask" }], request: { answer: "blue" } },
];

/** The trips of a story. */
export interface Told {
  /** Those before the first request to the model. */
  first: readonly Trip[];
  /** Those from there to the end of the response. */
  rest: readonly Trip[];
  /** The time to the first request to the model, in milliseconds. */
  firstMs: number;
}

/** How requests reach the agent: `runtime.run()` in the process, or `handler()`, also with an option. */
export type Way = "run" | "handler" | "handler with onClientGone" | "handler with admit";

/** Plays a story and returns the trips of its last request. */
export async function tell(
  store: EventStore,
  trips: Pick<Trips, "list" | "delayMs">,
  story: Story,
  way: Way,
): Promise<Told> {
  let asked: { at: number; trips: number } | undefined;
  const coach = coachWith(() => {
    asked ??= { at: performance.now(), trips: trips.list.length };
  });
  const pawl = runtime({ agents: [coach], store });
  const send = way === "run" ? inProcess(pawl) : overHttp(pawl, way);
  const { delayMs } = trips;
  trips.delayMs = 0;
  for (const request of story.before) await send(request);
  await quiet(trips);
  trips.delayMs = delayMs;
  trips.list.length = 0;
  asked = undefined;
  const began = performance.now();
  await send(story.request);
  const { at, trips: count } = asked ?? { at: Number.NaN, trips: trips.list.length };
  const list = [...trips.list];
  // Snapshots and readers may still use the store, which its test is about to close.
  await pawl.drain();
  return { first: list.slice(0, count), rest: list.slice(count), firstMs: at - began };
}

/** Waits until nothing uses the store, e.g. the readers of earlier requests. */
async function quiet({ list }: Pick<Trips, "list">): Promise<void> {
  for (let before = -1; before !== list.length; ) {
    before = list.length;
    await pause(10, "nothing uses the store in this time");
  }
}

type Send = (request: Request) => Promise<void>;

function inProcess(pawl: Runtime): Send {
  let sessionId: string | undefined;
  return async (request) => {
    const asked =
      "input" in request ? request : { answers: [{ callId: "color", value: { color: request.answer } }] };
    const run = pawl.run("coach", { userId: "ada", ...(sessionId !== undefined && { sessionId }), ...asked });
    ({ sessionId } = await run.result);
  };
}

function overHttp(pawl: Runtime, way: Way): Send {
  const serve = handler({
    runtime: pawl,
    agent: "coach",
    authorize: () => ({ userId: "ada" }),
    heartbeatMs: 60_000,
    ...(way === "handler with admit" && { admit: async () => undefined }),
    ...(way === "handler with onClientGone" && { onClientGone: "stop" }),
  });
  let sessionId: string | undefined;
  let messages = 0;
  return async (request) => {
    messages += 1;
    const asked =
      "input" in request
        ? { ...request, clientMessageId: `m${messages}-${sessionId ?? crypto.randomUUID()}` }
        : { answers: [{ callId: "color", value: { color: request.answer } }] };
    const body = JSON.stringify({ ...asked, ...(sessionId !== undefined && { sessionId }) });
    const headers = { "content-type": "application/json" };
    const response = await serve(new Request("http://localhost/runs", { method: "POST", headers, body }));
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    sessionId = decodeURIComponent(response.headers.get("x-pawl-session") ?? "");
    await response.text();
  };
}

/** The stories' agent. `onRequest` is called when a request to its model goes out. */
function coachWith(onRequest: () => void): Agent<undefined> {
  const script = scriptedModel(reply);
  const model: ModelClient = {
    ...script,
    stream: (...given) => {
      onRequest();
      return script.stream(...given);
    },
  };
  const look = tool({
    name: "look",
    description: "Looks at something.",
    input: z.object({ at: z.number() }),
    execute: ({ at }) => `You see ${at}.`,
  });
  const ask = tool({
    name: "ask_color",
    description: "Asks for a color.",
    input: z.object({}),
    suspends: { answer: z.object({ color: z.string() }) },
  });
  return agent({ name: "coach", model, instructions: "You look at things.", tools: [look, ask] });
}

/** Answers "look at 4" with four calls, "ask" with a question, and everything else with a text. */
function reply({ messages }: ModelRequest): Reply {
  const { content } = messages.at(-1) ?? { content: [] };
  const text = typeof content === "string" ? content : content.map((one) => String(one.text ?? "")).join(" ");
  const looks = Number(/look at (\d)/.exec(text)?.[1] ?? 0);
  if (looks > 0)
    return { tools: Array.from({ length: looks }, (_, at) => ({ name: "look", input: { at: at + 1 } })) };
  if (text.includes("ask")) return { tools: [{ name: "ask_color", input: {}, id: "color" }] };
  return { text: "It is as it is." };
}
