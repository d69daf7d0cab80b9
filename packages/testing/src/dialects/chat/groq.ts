import { chunksOf, json, SAID, sse, TOO_LONG, TRY_AGAIN, USAGE, usual } from "../base/chat.ts";
import { ABSENT, type Dialect, GREETING } from "../base/dialect.ts";

const model = "llama-3.3-70b-versatile";
const docs = "https://github.com/groq/groq-python/blob/main/src/groq/types/chat/chat_completion_chunk.py";
const { chunk, odd, usage } = chunksOf(model);
const times = { queue_time: 0.01, prompt_time: 0.002, completion_time: 0.01, total_time: 0.012 };

/** Groq: the usage in a field of its own, with times. */
export const groqDialect: Dialect = {
  name: "groq",
  title: "Groq",
  api: "chat",
  model,
  cases: {
    ...usual(model, docs),
    whole: [
      ...usual(model, docs).whole,
      {
        title: "the usage in `x_groq`",
        source: docs,
        response: sse([
          { ...chunk({ role: "assistant", content: "" }), x_groq: { id: "req_1" } },
          chunk({ content: GREETING }),
          { ...chunk({}, "stop"), x_groq: { id: "req_1", usage: { ...USAGE, ...times } } },
        ]),
        expected: SAID,
      },
    ],
    reasoning: [
      {
        title: "the field `reasoning`",
        source: "https://console.groq.com/docs/reasoning",
        response: sse([
          odd({ reasoning: "Hm." }),
          odd({ content: GREETING }),
          chunk({}, "stop"),
          usage(times),
        ]),
        expected: SAID,
      },
    ],
    refusal: ABSENT.refusal,
    filter: ABSENT.filter,
    overflow: [
      {
        title: "status 400, `context_length_exceeded`",
        source: "https://github.com/thepersonalaicompany/amurex-backend/issues/51",
        response: json(
          {
            error: {
              message: "Please reduce the length of the messages or completion.",
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
    brokenCall: [
      {
        title: "status 400, `tool_use_failed`",
        source: "https://github.com/groq/groq-typescript/issues/28",
        response: json(
          {
            error: {
              message:
                "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
              type: "invalid_request_error",
              code: "tool_use_failed",
              failed_generation: '<function=look{"city": "Malmö"},</function>',
            },
          },
          400,
        ),
        expected: TRY_AGAIN,
      },
      {
        title: "status 400, `tool_use_failed`: the input does not match the schema",
        source: "https://github.com/HunorLaczko/ha-groq-cloud-api/issues/20",
        response: json(
          {
            error: {
              message:
                "tool call validation failed: parameters for tool look did not match schema: errors: [`/city`: expected string, but got array]",
              type: "invalid_request_error",
              param: "",
              code: "tool_use_failed",
            },
          },
          400,
        ),
        expected: TRY_AGAIN,
      },
      {
        title: "`tool_use_failed` in a response with status 200",
        source: "https://github.com/langchain4j/langchain4j/issues/2585",
        response: sse([
          {
            error: {
              message: "Failed to call a function. Please adjust your prompt.",
              type: "invalid_request_error",
              code: "tool_use_failed",
              failed_generation: "Tool use failed: no tool can be called with name getCarsList",
              status_code: 400,
            },
          },
        ]),
        expected: TRY_AGAIN,
      },
    ],
    errorIn200: [
      {
        title: "an error in `x_groq`, and no finish reason",
        source: docs,
        response: sse([
          chunk({ content: "Grü" }),
          { ...chunk({}), x_groq: { id: "req_1", error: "The stream was stopped early." } },
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
