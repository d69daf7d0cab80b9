import type { ViewMessage } from "@pawl/core/view";
import { expect, onTestFinished } from "vitest";
import type { Served } from "../../../sse/test/support/served.ts";
import {
  type AgentClient,
  type AgentClientOptions,
  type AgentState,
  createAgentClient,
  until,
} from "../../src/index.ts";

export { type HandModel, handModel } from "../../../sse/test/support/hand-model.ts";
export { confirm, look, type Served, serve } from "../../../sse/test/support/served.ts";

/** A client of the served agent, closed when the test is over. */
export function clientOf(served: Served, options: Partial<AgentClientOptions> = {}): AgentClient {
  const client = createAgentClient({ url: served.url, headers: { authorization: "Bearer ada" }, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Resolves with the first state that is as it should be. */
export async function when(
  client: AgentClient,
  isRight: (state: AgentState) => boolean,
  ms = 10_000,
): Promise<AgentState> {
  const late = AbortSignal.timeout(ms);
  return await until(client, isRight, late).catch((error) => {
    throw late.aborted ? new Error(`It did not come to that: ${JSON.stringify(client.getState())}`) : error;
  });
}

export const isIdle = ({ phase }: AgentState): boolean => phase === "idle";
export const isSuspended = ({ phase }: AgentState): boolean => phase === "suspended";
export const lastText = ({ messages }: AgentState): string => messages.at(-1)?.text ?? "";

/** What the server shows of the session. */
export async function serversMessages(served: Served, sessionId: string | undefined): Promise<ViewMessage[]> {
  const response = await served.ask(`/sessions/${sessionId}`);
  return ((await response.json()) as { messages: ViewMessage[] }).messages;
}

/** Client and server show the same, to the last part. */
export async function expectSame(served: Served, ...clients: AgentClient[]): Promise<void> {
  for (const client of clients) {
    const { messages, sessionId } = client.getState();
    expect(messages).toEqual(await serversMessages(served, sessionId));
  }
}

/** The phases that a client goes through, each once in a row. */
export function phasesOf(client: AgentClient): string[] {
  const phases: string[] = [client.getState().phase];
  client.subscribe(() => {
    const { phase } = client.getState();
    if (phases.at(-1) !== phase) phases.push(phase);
  });
  return phases;
}

/** A `fetch` whose responses can be tampered with; `n` counts the requests to that path, from 1. */
export function tampered(
  path: string,
  change: (response: Response, n: number) => Response | Promise<Response>,
): typeof fetch {
  let n = 0;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).endsWith(path)) return response;
    n += 1;
    return await change(response, n);
  };
}

/** The response, with its text gone through `change` and then ended in good order. */
export function rewritten(
  response: Response,
  change: (text: string) => { text: string; end?: boolean },
): Response {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const { text, end } = change(decoder.decode(chunk, { stream: true }));
        controller.enqueue(encoder.encode(text));
        if (end) controller.terminate();
      },
    }),
  );
  return new Response(body, { status: response.status, headers: response.headers });
}
