import type { ModelClient } from "@pawl/core";
import type { ViewPart } from "@pawl/core/view";
import { expect, onTestFinished } from "vitest";
import { asp } from "../../../sse/src/dialects.ts";
import { type Served, serve } from "../../../sse/test/support/served.ts";
import { type AspClient, type AspClientOptions, type AspState, createAspClient } from "../../src/asp.ts";
import { until } from "../../src/index.ts";

/** Serves the agent in the dialect `asp()`. */
export async function serveAsp(
  model: ModelClient,
  options: Parameters<typeof serve>[1] = {},
): Promise<Served> {
  return await serve(model, { dialect: asp(), ...options });
}

/** A client of the served agent, closed when the test is over. */
export function aspClient(served: Pick<Served, "url">, options: Partial<AspClientOptions> = {}): AspClient {
  const client = createAspClient({ url: served.url, headers: { authorization: "Bearer ada" }, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Resolves with the first state that is right. */
export async function when(client: AspClient, isRight: (state: AspState) => boolean): Promise<AspState> {
  return await until(client, isRight, AbortSignal.timeout(10_000)).catch(() => {
    throw new Error(`It did not come to that: ${JSON.stringify(client.getState())}`);
  });
}

/** Waits until nothing is in progress. */
export const settled = (client: AspClient): Promise<AspState> =>
  when(client, ({ phase, loading }) => !loading && ["idle", "suspended", "error"].includes(phase));

/** The text of the last message. */
export const lastText = ({ messages }: AspState): string => messages.at(-1)?.text ?? "";

/** Messages without what only one side knows: keys and places in the log. */
export function bare(messages: AspState["messages"]): unknown[] {
  return messages.map(({ role, text, parts }) => ({ role, text, parts: parts.map(barePart) }));
}

function barePart(part: ViewPart): object {
  const { key: _key, ...rest } = part;
  if (rest.type === "notice") return { type: rest.type, text: rest.text };
  if (rest.type !== "tool") return rest;
  const { resultSeq: _seq, status: _status, questions: _questions, ...call } = rest;
  return call;
}

/** The client shows what the server shows, and so does a page that has just been loaded. */
export async function expectSame(served: Served, client: AspClient): Promise<void> {
  const { messages, sessionId } = client.getState();
  const stored = await served.ask(`/sessions/${sessionId}`);
  const view = (await stored.json()) as { messages: AspState["messages"] };
  expect(bare(messages)).toEqual(bare(view.messages));
  const reloaded = aspClient(served, { ...(sessionId !== undefined && { sessionId }) });
  expect(bare((await settled(reloaded)).messages)).toEqual(bare(view.messages));
}
