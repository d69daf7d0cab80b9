import {
  checkPricing,
  type JsonObject,
  type ModelClient,
  type ModelRequest,
  type OptionKinds,
  type Pricing,
} from "@pawl/core";
import { formatSchema } from "@pawl/core/model";
import { limitsOf } from "../base/model-limits.ts";
import { checkSimulated, SCRIPTED } from "../base/option-kinds.ts";
import type { Rejection } from "../base/wire.ts";
import type { ParsedRequest } from "../base/wire-request.ts";
import { type SimulatorOptions, simulator } from "../messages/simulator.ts";
import { FORMATS } from "../messages/validate/output-format.ts";
import { thinks } from "../messages/validate/thinking.ts";
import { VALIDATE } from "../messages/validate/validate.ts";
import { inProcessStream, modelError } from "./in-process-stream.ts";

/** Options of `strictModel()`. */
export interface StrictModelOptions extends SimulatorOptions {
  /** Id of a model that the simulator knows. Default: `claude-sonnet-5-5`. */
  model?: string;
  /** The model's prices. Default: none, so that every call costs 0. */
  pricing?: Pricing | undefined;
  /**
   * More fields for the body of every request, e.g. `{ thinking: { type: "adaptive", display: "summarized" }
   * }`. Default: none.
   */
  body?: JsonObject;
  /** Whether requests may have an output format. Default: `true`, as with the models from version 4.5. */
  outputFormat?: boolean;
}

const OPTIONS: OptionKinds<StrictModelOptions> = {
  ...VALIDATE,
  ...SCRIPTED,
  model: "string",
  pricing: "object",
  body: "object",
  outputFormat: "boolean",
};

/** What the API can express in an output format. */
const FORMAT = { levels: 10, fields: 200, optional: 24, unions: 16, formats: FORMATS };

/** A simulated model, which validates requests as the Messages API does. */
export interface StrictModel extends ModelClient {
  /** The bodies of all requests so far, in order, including refused ones. */
  readonly requests: ParsedRequest[];
  /** The refused requests with their errors. Empty if every request was valid. */
  readonly rejected: Rejection[];
}

/**
 * Creates a model for tests that simulates the Messages API in process. Validates every request, signs
 * thinking blocks and detects edits before them, and counts cached tokens. An invalid request throws
 * `model_error` with status 400 and is recorded in `rejected`.
 *
 * @throws PawlError `config` for unknown and invalid options and replies.
 *
 * @example
 * ```ts
 * import { strictModel } from "@pawl/testing";
 *
 * const model = strictModel({ script: [{ text: "Hello." }] });
 * const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];
 * const request = { system: [], tools: [], messages, maxTokens: 100 };
 * for await (const event of model.stream(request, { signal: AbortSignal.timeout(1000) }))
 *   console.log(event.type);
 * console.log(model.rejected); // []
 * ```
 */
export function strictModel(options: StrictModelOptions = {}): StrictModel {
  checkSimulated("strictModel()", options, OPTIONS);
  checkPricing("strictModel()", options.pricing);
  const { model = "claude-sonnet-5-5", pricing, body = {} } = options;
  const api = simulator(`"${model}"`, options);
  const requests: ParsedRequest[] = [];
  const forcedToolChoice =
    limitsOf(model, options.models)?.forcedToolChoice === true &&
    !thinks(body.thinking as JsonObject | undefined);
  return {
    id: model,
    ...(pricing === undefined ? {} : { pricing }),
    forcedToolChoice,
    ...(options.outputFormat !== false && {
      outputFormat: (schema: JsonObject) => formatSchema(schema, FORMAT),
    }),
    reads: ["image", "pdf"],
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
 * Copies a request as JSON. So the same fields are left out as over HTTP, and later changes of the request do
 * not matter.
 */
function wireBody(model: string, request: ModelRequest, extra: JsonObject): ParsedRequest {
  const { system, tools, messages, maxTokens, toolChoice, outputFormat } = request;
  const format = outputFormat && { format: { type: "json_schema", schema: outputFormat } };
  const body = {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    messages,
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...extra,
    ...(format && { output_config: { ...Object(extra.output_config), ...format } }),
    stream: true,
  };
  return JSON.parse(JSON.stringify(body)) as ParsedRequest;
}
