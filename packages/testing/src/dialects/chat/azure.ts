import { chunksOf, FILTERED, json, REFUSED, SAID, sse, TOO_LONG, TRY_AGAIN, usual } from "../base/chat.ts";
import { ABSENT, type Dialect, GREETING } from "../base/dialect.ts";

const model = "gpt-5.4-mini";
const docs = "https://learn.microsoft.com/azure/ai-services/openai/concepts/content-filter";
const types = "npm openai@7.59.0, ChatCompletionChunk";
const stream = "https://github.com/microsoft/autogen/issues/6465";
const filters = { prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] };
const { chunk, odd, usage } = chunksOf(model);

/** Azure OpenAI: filters before and after the model. */
export const azureDialect: Dialect = {
  name: "azure",
  title: "Azure OpenAI",
  api: "chat",
  model,
  cases: {
    ...usual(model, `inferred from ${types}`),
    whole: [
      {
        title: "a first chunk with the filter's results and no choices",
        source: stream,
        response: sse([
          { id: "", object: "", created: 0, model: "", choices: [], ...filters },
          odd({ role: "assistant", content: GREETING }, null, { content_filter_results: {} }),
          chunk({}, "stop"),
          usage(),
        ]),
        expected: SAID,
      },
      {
        title: "the filter's results at the end, in a choice without `delta`",
        source: stream,
        response: sse([
          chunk({ role: "assistant", content: GREETING }),
          chunk({}, "stop"),
          {
            ...{ id: "", object: "", created: 0, model: "" },
            choices: [{ index: 0, finish_reason: null, content_filter_results: {} }],
          },
          usage(),
        ]),
        expected: SAID,
      },
    ],
    reasoning: { absent: "Chat Completions shows no reasoning of OpenAI's models." },
    refusal: [
      {
        title: "`refusal` instead of content",
        source: `inferred from ${types}`,
        response: sse([chunk({ refusal: GREETING }), chunk({}, "stop"), usage()]),
        expected: { ...SAID, stop: "refusal" },
      },
    ],
    filter: [
      {
        title: "status 400, `content_filter`, for the prompt",
        source: "https://github.com/compl-ai/compl-ai/issues/20",
        response: json(
          {
            error: {
              message:
                "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
              type: null,
              param: "prompt",
              code: "content_filter",
              status: 400,
              innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: {} },
            },
          },
          400,
        ),
        expected: FILTERED,
      },
      {
        title: "the finish reason `content_filter`, for the answer",
        source: docs,
        response: sse([chunk({ content: "Grü" }), chunk({}, "content_filter"), usage()]),
        expected: { ...REFUSED, text: "Grü" },
      },
    ],
    overflow: [
      {
        title: "status 400, `context_length_exceeded`",
        source: "https://github.com/Azure/azure-sdk-for-net/issues/41892",
        response: json(
          {
            error: {
              message:
                "This model's maximum context length is 32768 tokens. However, you requested 35969 tokens.",
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
        title: "an error whose code is the status as a string",
        source: "inferred from npm openai@7.59.0, core/streaming.ts",
        response: sse([
          chunk({ content: "Grü" }),
          { error: { message: "Internal server error", code: "500" } },
        ]),
        expected: { text: "Grü", ...TRY_AGAIN },
      },
    ],
    noEnd: ABSENT.end,
    contentList: ABSENT.text,
    inputObject: ABSENT.json,
    legacyCall: {
      absent: "Only API versions that ended in 2024 had it. See LiteLLM for its form.",
    },
  },
};
