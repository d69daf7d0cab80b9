import { chunksOf, FILTERED, json, SAID, sse, TOO_LONG, TRY_AGAIN, usual } from "../base/chat.ts";
import { ABSENT, type Dialect, GREETING } from "../base/dialect.ts";

const model = "anthropic/claude-sonnet-5.5";
const docs = "https://openrouter.ai/docs/api/reference/streaming";
const errors = "https://openrouter.ai/docs/api/reference/errors-and-debugging";
const { chunk, odd, usage } = chunksOf(model, { provider: "Anthropic" });

/** OpenRouter: comments, errors with a status as their code, other servers' reasons beside its own. */
export const openrouterDialect: Dialect = {
  name: "openrouter",
  title: "OpenRouter",
  api: "chat",
  model,
  cases: {
    ...usual(model, docs, { provider: "Anthropic" }),
    whole: [
      {
        title: "comments before the answer, its price in the usage",
        source: docs,
        response: sse([
          ": OPENROUTER PROCESSING\n\n",
          odd({ role: "assistant", content: GREETING }, null, { native_finish_reason: null }),
          odd({ content: "" }, "stop", { native_finish_reason: "end_turn" }),
          usage({ cost: 0.0001, is_byok: false, cost_details: { upstream_inference_cost: null } }),
        ]),
        expected: SAID,
      },
    ],
    reasoning: [
      {
        title: "the fields `reasoning` and `reasoning_details`",
        source: "https://openrouter.ai/docs/use-cases/reasoning-tokens",
        response: sse([
          odd({
            content: "",
            reasoning: "Hm.",
            reasoning_details: [{ type: "reasoning.text", text: "Hm." }],
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
        title: "status 403, the model requires moderation",
        source: errors,
        response: json(
          {
            error: {
              code: 403,
              message: "Your chosen model requires moderation and your input was flagged",
              metadata: {
                reasons: ["violence"],
                flagged_input: "…",
                provider_name: "OpenAI",
                model_slug: "gpt",
              },
            },
          },
          403,
        ),
        expected: FILTERED,
      },
    ],
    overflow: [
      {
        title: "status 400, by its message",
        source: "https://github.com/OpenHands/OpenHands/issues/9937",
        response: json(
          {
            error: {
              code: 400,
              message:
                "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens.",
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
        title: "an error in the stream, with the finish reason `error`",
        source: docs,
        response: sse([
          odd({ content: "Grü" }),
          {
            ...odd({ content: "" }, "error"),
            error: { code: "server_error", message: "Provider disconnected unexpectedly" },
          },
        ]),
        expected: { text: "Grü", ...TRY_AGAIN },
      },
      {
        title: "an error instead of an answer",
        source: errors,
        response: json({ error: { code: 502, message: "Provider returned error", metadata: {} } }),
        expected: TRY_AGAIN,
      },
      {
        title: "credits that ran out during the answer",
        source: `inferred from ${errors}`,
        response: sse([odd({ content: "Grü" }), { error: { code: 402, message: "Insufficient credits" } }]),
        expected: { text: "Grü", failure: { retryable: false } },
      },
    ],
    noEnd: ABSENT.end,
    contentList: ABSENT.text,
    inputObject: ABSENT.json,
    legacyCall: ABSENT.tools,
  },
};
