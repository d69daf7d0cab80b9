import type { Served } from "./served.ts";

/** An event of a stream, as JSON. */
export type Frame = { readonly [field: string]: unknown };

/** The bodies of requests with a message, by the kind of client. */
export const bodies = {
  plain: { message: "Hi" },
  aiSdk: {
    id: "c1",
    trigger: "submit-message",
    messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }],
  },
  agUi: {
    threadId: "t1",
    runId: "r1",
    state: {},
    messages: [{ id: "m1", role: "user", content: "Hi" }],
    tools: [],
    context: [],
    forwardedProps: {},
  },
};

/** Sends a request, and returns the events of its stream, and the session. */
export async function framesOf(
  { ask }: Pick<Served, "ask">,
  json: object,
): Promise<{ sessionId: string; frames: Frame[] }> {
  const response = await ask("/runs", { json });
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  const frames = lines.map((line) => JSON.parse(line.slice(6)) as Frame);
  return { sessionId: decodeURIComponent(response.headers.get("x-pawl-session") ?? ""), frames };
}
