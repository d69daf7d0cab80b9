import {
  CALLED,
  chunksOf,
  FILTERED,
  json,
  LOOK,
  SAID,
  sse,
  TOO_LONG,
  TRY_AGAIN,
  usual,
} from "../base/chat.ts";
import { ABSENT, type Dialect, GREETING } from "../base/dialect.ts";

const model = "my-model";
const docs = "https://docs.litellm.ai/docs/completion/stream";
const exceptions = "https://docs.litellm.ai/docs/exception_mapping";
const bodies = "https://github.com/BerriAI/litellm/pull/16231";
const { chunk, odd, usage } = chunksOf(model);
const input = JSON.stringify(LOOK.input);
const provider_specific_fields = { thought_signature: "CiQBVKhc7g==" };

/** The proxy of LiteLLM: other servers' errors in the names of its exceptions. */
export const litellmDialect: Dialect = {
  name: "litellm",
  title: "LiteLLM",
  api: "chat",
  model,
  cases: {
    ...usual(model, docs),
    calls: [
      ...usual(model, docs).calls,
      {
        title: "a signature of Gemini in a field of its own",
        source: "https://docs.litellm.ai/blog/gemini_3",
        response: sse([
          odd({
            tool_calls: [
              {
                index: 0,
                id: "call_abcdefgh1",
                type: "function",
                function: { name: "look", arguments: input },
                provider_specific_fields,
              },
            ],
          }),
          chunk({}, "tool_calls"),
          usage(),
        ]),
        expected: CALLED,
        wantsBack: { provider_specific_fields },
      },
    ],
    reasoning: [
      {
        title: "the fields `reasoning_content` and `thinking_blocks`",
        source: "https://docs.litellm.ai/docs/reasoning_content",
        response: sse([
          odd({
            reasoning_content: "Hm.",
            thinking_blocks: [{ type: "thinking", thinking: "Hm.", signature: "" }],
          }),
          odd({ content: GREETING }),
          chunk({}, "stop"),
          usage(),
        ]),
        expected: SAID,
      },
    ],
    refusal: ABSENT.refusal,
    filter: [
      {
        title: "status 400, `ContentPolicyViolationError`",
        source: bodies,
        response: json(
          {
            error: {
              message: "litellm.ContentPolicyViolationError: AzureException - The response was filtered",
              type: null,
              param: null,
              code: "400",
            },
          },
          400,
        ),
        expected: FILTERED,
      },
    ],
    overflow: [
      {
        title: "status 400, `ContextWindowExceededError`",
        source: exceptions,
        response: json(
          {
            error: {
              message:
                "litellm.ContextWindowExceededError: BedrockException: Input is too long for requested model.",
              type: null,
              param: null,
              code: "400",
            },
          },
          400,
        ),
        expected: TOO_LONG,
      },
    ],
    contentType: ABSENT.streams,
    brokenCall: [
      {
        title: "status 400, Groq's `tool_use_failed` in the message",
        source: "https://github.com/huggingface/smolagents/issues/1119",
        response: json(
          {
            error: {
              message:
                'litellm.BadRequestError: GroqException - {"error":{"message":"Failed to call a function. Please adjust your prompt.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"look{}"}}',
              type: null,
              param: null,
              code: "400",
            },
          },
          400,
        ),
        expected: TRY_AGAIN,
      },
    ],
    errorIn200: [
      {
        title: "an error whose code is the status as a string",
        source: `inferred from ${bodies}`,
        response: sse([
          chunk({ content: "Grü" }),
          { error: { message: "litellm.InternalServerError", type: "None", param: "None", code: "500" } },
        ]),
        expected: { text: "Grü", ...TRY_AGAIN },
      },
    ],
    noEnd: ABSENT.end,
    contentList: ABSENT.text,
    inputObject: ABSENT.json,
    legacyCall: [
      {
        title: "the call in `function_call`, in pieces",
        source: "inferred from https://github.com/QwenLM/qwen-code/pull/6240",
        response: sse([
          odd({ role: "assistant", content: null, function_call: { name: "look", arguments: "" } }),
          odd({ function_call: { arguments: input.slice(0, 6) } }),
          odd({ function_call: { arguments: input.slice(6) } }),
          chunk({}, "function_call"),
          usage(),
        ]),
        expected: CALLED,
      },
    ],
  },
};
