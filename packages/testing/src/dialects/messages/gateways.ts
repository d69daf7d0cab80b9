import { CALLED, FILTERED, json, LOOK, SAID, TOO_LONG, TRY_AGAIN } from "../base/chat.ts";
import { ABSENT, type Dialect, GREETING } from "../base/dialect.ts";
import { call, events, STOP, startOf, stopped, text, usualMessages } from "../base/messages.ts";
import { BEHIND, unstreamedMessages } from "./unstreamed.ts";

const model = BEHIND;
const litellm = "https://github.com/BerriAI/litellm/issues/34692";
const noEvents = "https://github.com/earendil-works/pi/issues/1983";
const vllm = "https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/anthropic/serving_messages.py";
const start = startOf(model);

/** Servers and gateways that speak the Messages API for other models: vLLM, LiteLLM, Bifrost and others. */
export const gatewayDialect: Dialect = {
  name: "gateways",
  title: "Gateways of the Messages API (vLLM, LiteLLM, Bifrost)",
  api: "messages",
  model,
  cases: {
    ...usualMessages(model, "https://docs.litellm.ai/docs/anthropic_unified"),
    whole: [
      {
        title: "no lines with the type of an event",
        source: noEvents,
        response: events([start, ...text(0, [GREETING]), stopped("end_turn"), STOP], false),
        expected: SAID,
      },
      {
        title: "the stop reason of the server behind it",
        source: "inferred from https://github.com/vllm-project/vllm/pull/45807",
        response: events([start, ...text(0, [GREETING]), stopped("stop"), STOP]),
        expected: SAID,
      },
      {
        title: "`[DONE]` after the end (vLLM)",
        source: vllm,
        response: events([start, ...text(0, [GREETING]), stopped("end_turn"), STOP, "data: [DONE]\n\n"]),
        expected: SAID,
      },
    ],
    calls: [
      {
        title: "a call that ends with `end_turn`",
        source: litellm,
        response: events([start, ...call(0, LOOK), stopped("end_turn"), STOP]),
        expected: CALLED,
      },
      {
        title: "text, then a call that ends with `end_turn`",
        source: "https://github.com/maximhq/bifrost/issues/3638",
        response: events([start, ...text(0, [GREETING]), ...call(1, LOOK), stopped("end_turn"), STOP]),
        expected: { ...CALLED, text: GREETING },
      },
    ],
    reasoning: {
      absent: "Its reasoning has the form of Claude's. Without a signature, Pawl does not send it back.",
    },
    refusal: ABSENT.refusal,
    filter: [
      {
        title: "status 400, the words of Azure",
        source: "inferred from https://github.com/BerriAI/litellm/pull/16231",
        response: json(
          {
            type: "error",
            error: {
              type: "invalid_request_error",
              message: "litellm.ContentPolicyViolationError: AzureException - The response was filtered",
            },
          },
          400,
        ),
        expected: FILTERED,
      },
    ],
    overflow: [
      {
        title: "status 400, the words of vLLM",
        source: "inferred from https://github.com/vllm-project/vllm/issues/20409",
        response: json(
          {
            type: "error",
            error: {
              type: "BadRequestError",
              message:
                "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens.",
            },
          },
          400,
        ),
        expected: TOO_LONG,
      },
      {
        title: "status 400, the words of mlx-serve",
        source: "https://github.com/ddalcu/mlx-serve/issues/66",
        response: json(
          {
            type: "error",
            error: { type: "invalid_request_error", message: "Prompt exceeds maximum context length" },
          },
          400,
        ),
        expected: TOO_LONG,
      },
      {
        title: "status 400, the words of SGLang",
        source: "inferred from https://github.com/NVIDIA-NeMo/Switchyard/pull/426",
        response: json(
          {
            type: "error",
            error: {
              type: "BadRequestError",
              message: "Input length (700001 tokens) exceeds the maximum allowed length (536826 tokens).",
            },
          },
          400,
        ),
        expected: TOO_LONG,
      },
      {
        title: "status 400, an error of FastAPI",
        source: "inferred from https://fastapi.tiangolo.com/tutorial/handling-errors/",
        response: json({ detail: "Prompt exceeds maximum context length" }, 400),
        expected: TOO_LONG,
      },
    ],
    contentType: unstreamedMessages,
    brokenCall: ABSENT.errors,
    errorIn200: [
      {
        title: "an error event of the type `internal_error`, then `[DONE]` (vLLM)",
        source: vllm,
        response: events([
          start,
          { type: "error", error: { type: "internal_error", message: "2 validation errors" } },
          "data: [DONE]\n\n",
        ]),
        expected: TRY_AGAIN,
      },
      {
        title: "an error in the form of Chat Completions, then `[DONE]`",
        source: "inferred from https://github.com/vllm-project/vllm/pull/46162",
        response: events([
          start,
          'data: {"error":{"message":"Internal Server Error","type":"InternalServerError","code":500}}\n\n',
          "data: [DONE]\n\n",
        ]),
        expected: TRY_AGAIN,
      },
      {
        title: "an error as JSON, instead of an answer",
        source: "inferred from https://github.com/runpod-workers/worker-vllm/issues/57",
        response: json({ type: "error", error: { type: "api_error", message: "Upstream failed" } }),
        expected: TRY_AGAIN,
      },
    ],
    noEnd: [
      {
        title: "the stop reason, then the end of the body",
        source: "inferred from https://github.com/ikawrakow/ik_llama.cpp/issues/467",
        response: events([start, ...text(0, [GREETING]), stopped("end_turn")]),
        expected: SAID,
      },
      {
        title: "a call, the stop reason, then `[DONE]`",
        source: `inferred from ${vllm}`,
        response: events([start, ...call(0, LOOK), stopped("tool_use"), "data: [DONE]\n\n"]),
        expected: CALLED,
      },
    ],
    contentList: {
      absent: "Its content is a list of blocks in every answer.",
    },
    inputObject: [
      {
        title: "the whole input at the start of the block",
        source: "inferred from https://github.com/BerriAI/litellm/pull/37792",
        response: events([
          start,
          {
            type: "content_block_start",
            index: 0,
            content_block: { type: "tool_use", id: "toolu_01", ...LOOK },
          },
          { type: "content_block_stop", index: 0 },
          stopped("tool_use"),
          STOP,
        ]),
        expected: CALLED,
      },
    ],
    legacyCall: ABSENT.messages,
  },
};
