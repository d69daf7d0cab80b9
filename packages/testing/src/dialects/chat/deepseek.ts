import { chunksOf, json, REFUSED, SAID, sse, TOO_LONG, TRY_AGAIN, usual } from "../base/chat.ts";
import { ABSENT, type Dialect, GREETING } from "../base/dialect.ts";

const model = "deepseek-reasoner";
const docs = "https://api-docs.deepseek.com/api/create-chat-completion";
const { chunk, odd, usage } = chunksOf(model);

/** DeepSeek: reasoning in a field of its own, signs of life, the cache in the usage. */
export const deepseekDialect: Dialect = {
  name: "deepseek",
  title: "DeepSeek",
  api: "chat",
  model,
  cases: {
    ...usual(model, docs),
    whole: [
      ...usual(model, docs).whole,
      {
        title: "comments before the answer, and the cache in the usage",
        source: "https://api-docs.deepseek.com/quick_start/rate_limit",
        response: sse([
          ": keep-alive\n\n: keep-alive\n\n",
          chunk({ content: GREETING }),
          chunk({}, "stop"),
          usage({ prompt_cache_hit_tokens: 12, prompt_cache_miss_tokens: 8 }),
        ]),
        expected: SAID,
      },
    ],
    reasoning: [
      {
        title: "the field `reasoning_content`",
        source: "https://api-docs.deepseek.com/guides/reasoning_model",
        response: sse([
          odd({ role: "assistant", content: null, reasoning_content: "Hm." }),
          odd({ content: GREETING, reasoning_content: null }),
          chunk({}, "stop"),
          usage(),
        ]),
        expected: SAID,
      },
    ],
    refusal: ABSENT.refusal,
    filter: [
      {
        title: "the finish reason `content_filter`",
        source: docs,
        response: sse([chunk({ content: "Grü" }), chunk({}, "content_filter"), usage()]),
        expected: { ...REFUSED, text: "Grü" },
      },
    ],
    overflow: [
      {
        title: "status 400, by its message",
        source: "https://github.com/evalstate/fast-agent/issues/621",
        response: json(
          {
            error: {
              message:
                "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens.",
              type: "invalid_request_error",
              param: null,
              code: "invalid_request_error",
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
        title: "the finish reason `insufficient_system_resource`",
        source: docs,
        response: sse([odd({ content: "Grü" }), odd({}, "insufficient_system_resource"), usage()]),
        expected: { text: "Grü", ...TRY_AGAIN },
      },
    ],
    noEnd: ABSENT.end,
    contentList: ABSENT.text,
    inputObject: ABSENT.json,
    legacyCall: ABSENT.tools,
  },
};
