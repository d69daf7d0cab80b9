import type { JsonObject, ModelClient, ModelRequest, Pricing } from "@pawl/core";
import { limitsOf } from "../base/model-limits.ts";
import type { Rejection } from "../base/wire.ts";
import type { ParsedRequest } from "../base/wire-request.ts";
import { type SimulatorOptions, simulator } from "../messages/simulator.ts";
import { thinks } from "../messages/validate/thinking.ts";
import { inProcessStream, modelError } from "./in-process-stream.ts";

/** Options of `strictModel()`. */
export interface StrictModelOptions extends SimulatorOptions {
  /** A model that the simulator knows. Default: `claude-sonnet-5-5`. */
  model?: string;
  pricing?: Pricing;
  /** Further fields of the request body, e.g. `{ thinking: { type: "adaptive", display: "summarized" } }`. */
  body?: JsonObject;
}

/** A `ModelClient` that validates requests as the Messages API does. */
export interface StrictModel extends ModelClient {
  /** The request bodies, in order, refused ones included. */
  readonly requests: ParsedRequest[];
  /** The refused requests with their errors; empty if every request was valid. */
  readonly rejected: Rejection[];
}

/**
 * Makes a model that simulates the Messages API in process. It validates every request, signs thinking and
 * binds it to what precedes it, and counts cache reads and writes. An invalid request throws a `model_error`
 * with status 400 and is kept in `rejected`.
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
 * Copies the request through JSON, which drops the same fields as the wire and is not affected by later
 * changes.
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
