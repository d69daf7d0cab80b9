import type { JsonObject, ModelClient, ModelRequest, Pricing } from "@pawl/core";
import { limitsOf } from "../base/model-limits.ts";
import type { Rejection } from "../base/wire.ts";
import type { ParsedRequest } from "../base/wire-request.ts";
import { type SimulatorOptions, simulator } from "../messages/simulator.ts";
import { thinks } from "../messages/validate/thinking.ts";
import { inProcessStream, modelError } from "./in-process-stream.ts";

/** Options of `strictModel()`. */
export interface StrictModelOptions extends SimulatorOptions {
  /** `claude-sonnet-5-5` when absent; must be known to the simulator. */
  model?: string;
  pricing?: Pricing;
  /** Further fields of the request body, e.g. `{ thinking: { type: "adaptive", display: "summarized" } }`. */
  body?: JsonObject;
}

/** A `ModelClient` that judges what it is asked as the Messages API does. */
export interface StrictModel extends ModelClient {
  /** The request bodies, in order, refused ones included. */
  readonly requests: ParsedRequest[];
  /** The requests that were refused, with the error; empty when every request was valid. */
  readonly rejected: Rejection[];
}

/**
 * The Messages API simulator in process: every request is judged, thinking is signed and bound to what
 * precedes it, and usage counts cache reads and writes, all without HTTP. An invalid request throws a
 * `model_error` with status 400 and is kept in `rejected`.
 *
 * @example
 * ```ts
 * import { strictModel } from "@pawl/testing";
 *
 * const model = strictModel({ script: [{ text: "Hello." }] });
 * const messages = [{ role: "user" as const, content: [{ type: "text", text: "Hi" }] }];
 * const request = { system: [], tools: [], messages, maxTokens: 100 };
 * for await (const event of model.stream(request, { signal: AbortSignal.timeout(1000) }))
 *   console.log(event.type);
 * console.log(model.rejected); // []
 * ```
 */
export function strictModel(options: StrictModelOptions = {}): StrictModel {
  const { model = "claude-sonnet-5-5", pricing, body = {} } = options;
  const api = simulator(options);
  const requests: ParsedRequest[] = [];
  const forcedToolChoice =
    limitsOf(model, options.models)?.forcedToolChoice === true &&
    !thinks(body.thinking as JsonObject | undefined);
  return {
    id: model,
    ...(pricing === undefined ? {} : { pricing }),
    forcedToolChoice,
    requests,
    rejected: api.rejected,
    async *stream(request, { signal }) {
      signal.throwIfAborted();
      const wire = wireBody(model, request, body);
      requests.push(wire);
      const requestId = api.newId("req_01");
      const answer = await api.answer(wire);
      if ("status" in answer) throw modelError(answer, requestId);
      const { reply, events, begin } = answer;
      yield* inProcessStream(reply, events, { signal, requestId, begin });
    },
  };
}

/**
 * What goes over the wire; through JSON, so that what JSON drops is dropped and later changes do not reach
 * the copy.
 */
function wireBody(model: string, request: ModelRequest, extra: JsonObject): ParsedRequest {
  const { system, tools, messages, maxTokens, toolChoice } = request;
  const body = {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    messages,
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...extra,
    stream: true,
  };
  return JSON.parse(JSON.stringify(body)) as ParsedRequest;
}
