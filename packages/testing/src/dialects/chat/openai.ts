import {
  CALLED,
  callPiece,
  chunksOf,
  FILTERED,
  json,
  LOOK,
  REFUSED,
  SAID,
  sse,
  TOO_LONG,
  TRY_AGAIN,
  usual,
} from "../base/chat.ts";
import { ABSENT, type Dialect, GREETING } from "../base/dialect.ts";

const model = "gpt-5.4-mini";
const { chunk, usage } = chunksOf(model);
const types = "npm openai@7.59.0, ChatCompletionChunk";

/** OpenAI itself: the dialect that the others start from. */
export const openaiDialect: Dialect = {
  name: "openai",
  title: "OpenAI",
  api: "chat",
  model,
  cases: {
    ...usual(model, types),
    calls: [
      ...usual(model, types).calls,
      {
        title: "a call that ends with `stop`, as forced calls do",
        source: "https://github.com/vllm-project/vllm/pull/25054",
        response: sse([
          chunk(callPiece(0, { id: "call_abcdefgh1", name: "look", arguments: JSON.stringify(LOOK.input) })),
          chunk({}, "stop"),
          usage(),
        ]),
        expected: CALLED,
      },
    ],
    reasoning: { absent: "Chat Completions shows no reasoning of OpenAI's models." },
    refusal: [
      {
        title: "`refusal` instead of content",
        source: types,
        response: sse([chunk({ refusal: GREETING }), chunk({}, "stop"), usage()]),
        expected: { ...SAID, stop: "refusal" },
      },
    ],
    filter: [
      {
        title: "the finish reason `content_filter`",
        source: types,
        response: sse([chunk({ content: "Grü" }), chunk({}, "content_filter"), usage()]),
        expected: { ...REFUSED, text: "Grü" },
      },
      {
        title: "status 400, `invalid_prompt`, by its message",
        source: "https://github.com/alan-turing-institute/t0-1/issues/69",
        response: json(
          {
            error: {
              message: "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
              type: "invalid_request_error",
              param: null,
              code: "invalid_prompt",
            },
          },
          400,
        ),
        expected: FILTERED,
      },
      {
        title: "status 400, `content_policy_violation`, as for pictures",
        source: "inferred from https://github.com/agentscope-ai/agentscope/pull/171",
        response: json(
          {
            error: { message: "Rejected.", type: "invalid_request_error", code: "content_policy_violation" },
          },
          400,
        ),
        expected: FILTERED,
      },
    ],
    overflow: [
      {
        title: "status 400, `context_length_exceeded`",
        source: "https://github.com/mckaywrigley/chatbot-ui/issues/102",
        response: json(
          {
            error: {
              message:
                "This model's maximum context length is 4097 tokens. However, you requested 4120 tokens.",
              type: "invalid_request_error",
              param: "messages",
              code: "context_length_exceeded",
            },
          },
          400,
        ),
        expected: TOO_LONG,
      },
    ],
    contentType: ABSENT.streams,
    brokenCall: ABSENT.errors,
    errorIn200: [
      {
        title: "`server_error` after the first chunk",
        source: "npm openai@7.59.0, core/streaming.ts",
        response: sse([
          chunk({ content: "Grü" }),
          { error: { message: "The server had an error.", type: "server_error" } },
        ]),
        expected: { text: "Grü", ...TRY_AGAIN },
      },
    ],
    noEnd: ABSENT.end,
    contentList: ABSENT.text,
    inputObject: ABSENT.json,
    legacyCall: ABSENT.tools,
  },
};
