import type { ViewPart, ViewState } from "@pawl/core/view";
import { type AgentState, createAgentClient } from "../../../../client/src/index.ts";
import { NativeRoutes } from "./native-routes.ts";
import { withoutWaits } from "./no-waits.ts";
import type { Page } from "./page.ts";
import type { LogServer } from "./server.ts";

/** A page with `createAgentClient()`, which has opened the session as it is now. */
export async function nativePage(server: LogServer): Promise<Page> {
  const routes = new NativeRoutes(server);
  let id = "";
  withoutWaits(server.over.signal);
  const client = createAgentClient({
    url: "http://pawl",
    fetch: routes.fetch as typeof fetch,
    newId: () => id,
    ...(server.at > 0 && { sessionId: "s" }),
  });
  server.over.signal.addEventListener("abort", () => client.close());
  let wrong: string | undefined;
  client.subscribe(() => {
    wrong ??= wrongText(client.getState(), server.texts);
  });
  const settled = async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    while (!routes.isIdle) {
      const { connection, error } = client.getState();
      if (connection === "offline") throw new Error(`The client has given up: ${error?.message}`);
      await turn();
    }
    // The state is shown with the next frame.
    await turn();
    if (wrong !== undefined) throw new Error(`This is being written, and nobody says it: ${wrong}`);
  };
  if (server.at > 0) await settled();
  return {
    shown: () => {
      const { messages, pending, runningTools, run, cursor } = client.getState();
      return JSON.parse(JSON.stringify({ messages, pending, runningTools, run, cursor }, asLoaded));
    },
    calls: () => stateOfCalls(client.getState()),
    send: async (message) => {
      id = message.id;
      await client.send(message.text);
      await settled();
    },
    answer: async (answers) => {
      for (const { callId, question, value = null, error } of answers) {
        if (error === undefined) await client.answer(callId, value, question);
        else await client.fail(callId, error, question);
        await settled();
      }
    },
    retry: async () => {
      await client.retry();
      await settled();
    },
    connect: async () => {
      routes.upto = server.rest;
      client.close();
      client.open("s");
      await settled();
    },
  };
}

/** A text that is being written, and is not the beginning of what its attempt says. */
function wrongText({ messages }: AgentState, texts: ReadonlyMap<string, string>): string | undefined {
  const parts: readonly ViewPart[] = messages.flatMap((message) => message.parts);
  const wrong = parts.find(
    (part) => "text" in part && "open" in part && part.open && !texts.get(part.key)?.startsWith(part.text),
  );
  return wrong && JSON.stringify(wrong);
}

/** A field of the state, without what a page that loads cannot know. */
function asLoaded(name: string, value: unknown): unknown {
  // What a call's agent is saying is in no log.
  if (name === "said") return undefined;
  // A block's place in its answer: of a redacted answer, only some blocks are left.
  return name === "key" ? String(value).replace(/^(\d+):\d+$/, "$1") : value;
}

/** What became of each call of a view, and of its questions. */
export function stateOfCalls({ messages }: Pick<ViewState, "messages">): Map<string, string> {
  const calls = messages.flatMap(({ parts }) => (parts as ViewPart[]).filter((part) => part.type === "tool"));
  return new Map(
    calls.map(({ callId, phase, questions = [], result = null }) => {
      const states = questions.map(({ seq, state }) => `q${seq} ${state}`);
      return [callId, [phase, ...states, JSON.stringify(result)].join(", ")];
    }),
  );
}
