import {
  CALLED,
  CALLED_BOTH,
  chunksOf,
  FIND,
  json,
  LOOK,
  SAID,
  sse,
  TOO_LONG,
  TRY_AGAIN,
  usual,
} from "../base/chat.ts";
import { ABSENT, type Dialect, GREETING } from "../base/dialect.ts";

const model = "magistral-medium-latest";
const docs = "https://docs.mistral.ai/api/";
const choices = "https://github.com/mistralai/client-python/blob/main/src/mistralai/models";
const reasoning = "https://docs.mistral.ai/studio-api/conversations/reasoning";
const { chunk, odd, usage } = chunksOf(model);

/** Whole calls, as Mistral streams them: with an id of nine characters, and the reason in the same chunk. */
const calls = (...called: readonly { name: string; input: object }[]) =>
  odd(
    {
      role: "assistant",
      content: "",
      tool_calls: called.map(({ name, input }, index) => ({
        id: `D681PevK${index}`,
        function: { name, arguments: JSON.stringify(input) },
        index,
      })),
    },
    "tool_calls",
    { usage: {} },
  );

const thinking = odd({
  content: [{ type: "thinking", thinking: [{ type: "text", text: "2 and 2." }], closed: true }],
});

/** Mistral: content as a list of parts, errors without the field `error`. */
export const mistralDialect: Dialect = {
  name: "mistral",
  title: "Mistral",
  api: "chat",
  model,
  cases: {
    ...usual(model, docs),
    calls: [
      { title: "whole in one chunk", source: docs, response: sse([calls(LOOK), usage()]), expected: CALLED },
    ],
    parallel: [
      {
        title: "whole in one chunk",
        source: docs,
        response: sse([calls(LOOK, FIND), usage()]),
        expected: CALLED_BOTH,
      },
    ],
    reasoning: [
      {
        title: "parts of the type `thinking`",
        source: reasoning,
        response: sse([
          thinking,
          odd({ content: [{ type: "text", text: GREETING }] }),
          chunk({}, "stop"),
          usage(),
        ]),
        expected: SAID,
      },
    ],
    refusal: ABSENT.refusal,
    filter: ABSENT.filter,
    overflow: [
      {
        title: "status 400, `invalid_request_prompt_too_long`, without the field `error`",
        source: "https://github.com/thorstenkramm/opencode-mistral-vibe/blob/main/src/overflow.test.ts",
        response: json(
          {
            object: "error",
            message: "Prompt 264620 > 262144 maximum context length",
            type: "invalid_request_prompt_too_long",
            param: null,
            code: "3059",
            raw_status_code: 400,
          },
          400,
        ),
        expected: TOO_LONG,
      },
      {
        title: "status 400, by its message",
        source: "https://portkey.ai/error-library/context-length-exceeded-error-13710000",
        response: json(
          {
            object: "error",
            message:
              "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            type: "invalid_request_prompt",
            param: null,
            code: "3051",
          },
          400,
        ),
        expected: TOO_LONG,
      },
      {
        title: "the finish reason `model_length`, which whole answers have",
        source: `inferred from ${choices}/chatcompletionchoice.py`,
        response: sse([odd({ content: GREETING }), odd({}, "model_length"), usage()]),
        expected: { ...SAID, stop: "model_context_window_exceeded" },
      },
    ],
    contentType: ABSENT.streams,
    brokenCall: ABSENT.errors,
    errorIn200: [
      {
        title: "the finish reason `error`",
        source: `${choices}/completionresponsestreamchoice.py`,
        response: sse([odd({ content: "Grü" }), odd({ content: "" }, "error")]),
        expected: { text: "Grü", ...TRY_AGAIN },
      },
    ],
    noEnd: ABSENT.end,
    contentList: [
      {
        title: "text as a list of parts, then as text",
        source: "https://github.com/prism-php/prism/pull/862",
        response: sse([
          odd({ content: [{ type: "text", text: GREETING.slice(0, 5) }] }),
          odd({ content: GREETING.slice(5) }),
          chunk({}, "stop"),
          usage(),
        ]),
        expected: SAID,
      },
      {
        title: "text among references",
        source: "https://github.com/meilisearch/meilisearch/pull/6170",
        response: sse([
          odd({
            content: [
              { type: "text", text: GREETING },
              { type: "reference", reference_ids: [1] },
            ],
          }),
          chunk({}, "stop"),
          usage(),
        ]),
        expected: SAID,
      },
    ],
    inputObject: ABSENT.json,
    legacyCall: ABSENT.tools,
  },
};
