import assert from "node:assert/strict";
import type { ModelRequest, StoredEvent } from "@pawl/core";
import { promptOf, requestEvent, requestOf } from "../../packages/core/src/context/build-request.ts";
import { applyEvent } from "../../packages/core/src/fold/apply.ts";
import { estimateTokens } from "../../packages/core/src/model/estimate.ts";
import { estimatedPrompt } from "../../packages/core/src/session/counted-prompt.ts";
import { newSessionState } from "../../packages/core/src/session/new-state.ts";
import { assertExtends, type SeenRequest } from "./invariants.ts";

/** A request that was rebuilt from the log. */
interface Rebuilt {
  prefixId: string;
  request: ModelRequest;
}

/**
 * Rebuilds every request after `fromSeq`, and compares it with the log's facts about it. Requests before
 * `fromSeq` were copied by a fork, and may have been redacted.
 */
export async function rebuild(log: readonly StoredEvent[], fromSeq = 0): Promise<Rebuilt[]> {
  const state = newSessionState("rebuilt");
  const requests: Rebuilt[] = [];
  let lastPrompt: unknown;
  for (const event of log) {
    // A retry repeats the previous request.
    if (event.type === "llm_request" && event.data.retry_of !== undefined) {
      assert.deepEqual(event.data.prompt, lastPrompt);
    } else if (event.type === "llm_request" && event.seq > fromSeq) {
      const { prompt, params, model } = event.data;
      // The request does not contain events that others stored while it was built.
      state.lastSeq = prompt.upto_seq;
      const built = promptOf(state);
      const more = {
        maxTokens: params.max_tokens,
        ...(params.tool_choice && { toolChoice: params.tool_choice }),
        ...(params.hook_choice && { wanted: params.hook_choice }),
        ...(params.tools && { tools: params.tools }),
        ...(params.output_format && { outputFormat: state.prefix?.outputFormat ?? {} }),
      };
      const estimatedTokens = estimatedPrompt(state.counted, { model, chars: built.chars }, estimateTokens);
      const again = await requestEvent(state, built, { ...more, model, estimatedTokens });
      // The log does not determine these two: prices belong to the model, and limits to the agent.
      const { estimated_cost_cents: _cost, limited_by: _limit, ...logged } = event.data;
      assert.deepEqual(again, logged, `request ${event.seq} is rebuilt as another one`);
      const request = JSON.parse(JSON.stringify(requestOf(built, more)));
      requests.push({ prefixId: prompt.prefix_id, request });
    }
    if (event.type === "llm_request") lastPrompt = event.data.prompt;
    applyEvent(state, event);
  }
  return requests;
}

/**
 * Asserts that each sent request can be rebuilt from one of the logs, byte for byte, and extends the previous
 * one of its prefix.
 */
export async function assertRebuilds(
  logs: readonly (readonly StoredEvent[] | { log: readonly StoredEvent[]; fromSeq: number })[],
  sent: readonly SeenRequest[],
  withFiles: (request: ModelRequest) => Promise<ModelRequest> = async (request) => request,
): Promise<void> {
  const known = new Set<string>();
  for (const one of logs) {
    const { log, fromSeq } = "log" in one ? one : { log: one, fromSeq: 0 };
    const requests = await rebuild(log, fromSeq);
    for (const { request } of requests) known.add(bytes(await withFiles(request)));
    for (const group of Map.groupBy(requests, ({ prefixId }) => prefixId).values()) {
      assertExtends(group.map(({ request }) => request));
    }
  }
  for (const [n, request] of sent.entries()) {
    assert.ok(known.has(bytes(request)), `request ${n} is not in the log:\n${bytes(request)}`);
  }
}

function bytes({ system = [], tools = [], messages }: SeenRequest): string {
  return JSON.stringify([system, tools, messages]);
}
