import {
  checkOptions,
  checkPricing,
  type JsonObject,
  type ModelClient,
  type ModelRequest,
  type OptionKinds,
  type Pricing,
} from "@pawl/core";
import { checkReply } from "../base/check-reply.ts";
import { type Reply, randomId, replyBlocks } from "../base/reply.ts";
import { replyEvents } from "../base/reply-events.ts";
import { endOfScript } from "../base/rules.ts";
import { estimateTokens } from "../messages/state/prompt-cache.ts";
import { checkChoice } from "../messages/validate/tools.ts";
import { inProcessStream, modelError } from "./in-process-stream.ts";

/**
 * The replies of a scripted model: a list, one for each call, or a function that returns the reply to a call.
 * The function gets the request (`system`, `tools`, `messages`, …) and `n`, the number of earlier calls of
 * this model, over all sessions.
 */
export type Script = readonly Reply[] | ((request: ModelRequest, n: number) => Reply | Promise<Reply>);

/** Options of `scriptedModel()`. */
export interface ScriptedModelOptions {
  /** The model's id. Default: `claude-scripted`. */
  id?: string;
  /** The model's prices. Default: none, so that every call costs 0. */
  pricing?: Pricing | undefined;
  /** Whether requests may force a tool call. If not, such a request is refused. Default: `false`. */
  forcedToolChoice?: boolean;
  /** Whether the model has output formats, which may then have any JSON Schema. Default: `false`. */
  outputFormat?: boolean;
  /** What the model reads besides text. Default: `["image", "pdf"]`. */
  reads?: ModelClient["reads"];
  /** Returns a new id with this prefix, for messages, requests and tool calls. Default: random ids. */
  newId?: (prefix: string) => string;
}

const OPTIONS: OptionKinds<ScriptedModelOptions> = {
  id: "string",
  pricing: "object",
  forcedToolChoice: "boolean",
  outputFormat: "boolean",
  reads: "list",
  newId: "function",
};

const SCRIPT: OptionKinds<{ script: Script }> = {
  script: {
    mustBe: 'a list of replies, e.g. [{ text: "Hello." }], or a function',
    is: (script) => Array.isArray(script) || typeof script === "function",
    required: true,
  },
};

const INSTEAD = {
  rules: "Pass a function as the script.",
  script: 'Pass it as the first argument: scriptedModel([{ text: "Hello." }]).',
  model: "Use `id`.",
};

/** A scripted model, which records its requests. */
export interface ScriptedModel extends ModelClient {
  /** Copies of all requests so far, in order. */
  readonly requests: ModelRequest[];
}

/**
 * Creates a model for tests that plays a script, in process. It refuses a tool choice that the API would
 * refuse. It validates nothing else of a request; {@link strictModel} validates all of it. Its `stream`
 * throws a `PawlError` with the code `config` if it is called more often than the script has replies.
 *
 * A function instead of a list never runs out: `scriptedModel((request, n) => ({ text: `Answer ${n}` }))`.
 *
 * @throws PawlError `config` for a script that is neither a list nor a function, unknown fields of a reply,
 * and unknown options.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const model = scriptedModel([{ text: "Hello." }]);
 * const greeter = agent({ name: "greeter", model, instructions: "Be kind." });
 * const pawl = runtime({ agents: [greeter], store: memoryStore() });
 * const { text } = await pawl.run("greeter", { userId: "ada", input: "Hi" }).result;
 * console.log(text, model.requests.length); // Hello. 1
 *
 * const counting = scriptedModel(({ messages }, n) => ({
 *   text: `Call ${n} has ${messages.length} messages.`,
 * }));
 * ```
 */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  checkOptions("scriptedModel()", { script }, SCRIPT);
  checkOptions("scriptedModel()", options, OPTIONS, { instead: INSTEAD });
  checkPricing("scriptedModel()", options.pricing);
  const { id = "claude-scripted", pricing, forcedToolChoice = false, newId = randomId } = options;
  const { reads = ["image", "pdf"] } = options;
  const requests: ModelRequest[] = [];
  const replyTo = async (request: ModelRequest, n: number): Promise<Reply> => {
    const reply = typeof script === "function" ? await script(request, n) : script[n];
    if (reply === undefined && typeof script !== "function") throw endOfScript(`"${id}"`, n, script.length);
    checkReply(`Reply ${n + 1} of "${id}"`, reply);
    return reply;
  };
  return {
    id,
    ...(pricing === undefined ? {} : { pricing }),
    forcedToolChoice,
    ...(options.outputFormat && { outputFormat: (schema: JsonObject) => schema }),
    reads,
    requests,
    async *stream(request, { signal }) {
      const asked = structuredClone(request);
      const n = requests.push(asked) - 1;
      const refusal = checkChoice(request.toolChoice, request.tools, { forcedToolChoice });
      if (refusal !== undefined) throw modelError(refusal, newId("req_01"));
      const reply = await replyTo(asked, n);
      const tool = request.tools.find(({ name }) => name === "final_answer")?.input_schema;
      const blocks = replyBlocks(reply, newId, { format: request.outputFormat, tool }).map((block) =>
        block.type === "thinking" && block.signature === ""
          ? { ...block, signature: `scripted-${n}` }
          : block,
      );
      const usage = {
        input_tokens: estimateTokens([request.system, request.tools, request.messages]),
        output_tokens: estimateTokens(blocks),
        ...reply.usage,
      };
      const events = replyEvents(reply, blocks, { id: newId("msg_01"), model: id, usage });
      yield* inProcessStream(reply, events, { signal, requestId: newId("req_01") });
    },
  };
}
