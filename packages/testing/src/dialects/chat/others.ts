import { CALLED, chunksOf, json, LOOK, SAID, sse, TOO_LONG, TRY_AGAIN, USAGE, usual } from "../base/chat.ts";
import { ABSENT, type Dialect, type DialectCase, GREETING } from "../base/dialect.ts";

const model = "llama-3.1-70b";
const { chunk, odd, usage } = chunksOf(model);
const ignored = "https://github.com/BaseIntelligence/bounty-challenge/issues/17821";
const legacy = "https://github.com/QwenLM/qwen-code/pull/6240";

const ends = (reason: string, source: string): DialectCase => ({
  title: `the finish reason \`${reason}\``,
  source,
  response: sse([odd({ role: "assistant", content: GREETING }), odd({}, reason), usage()]),
  expected: SAID,
});

/** An answer that was not streamed. */
const whole = (message: object, finish_reason: string) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_790_000_000,
  model,
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
  usage: USAGE,
});

/** Servers of which one thing was reported: Together, TGI, Cohere, LM Studio, xAI, and gateways. */
export const otherChatDialect: Dialect = {
  name: "others",
  title: "Together, TGI, Cohere, LM Studio, xAI, gateways",
  api: "chat",
  model,
  cases: {
    ...usual(model, "npm openai@7.59.0, ChatCompletionChunk"),
    whole: [
      ends("eos", "https://github.com/openai/openai-dotnet/pull/267"),
      ends("eos_token", "https://github.com/huggingface/text-generation-inference/pull/2344"),
      ends("end", "https://github.com/earendil-works/pi/issues/2107"),
      ends("COMPLETE", "https://docs.cohere.com/reference/chat"),
    ],
    reasoning: ABSENT.reasoning,
    refusal: ABSENT.refusal,
    filter: ABSENT.filter,
    overflow: [
      {
        title: "status 400, by the message of LM Studio",
        source: "https://github.com/earendil-works/pi/blob/main/packages/ai/src/utils/overflow.ts",
        response: json(
          {
            error: "The number of tokens to keep from the initial prompt is greater than the context length",
          },
          400,
        ),
        expected: TOO_LONG,
      },
      {
        title: "status 400, by the message of xAI",
        source: "https://github.com/earendil-works/pi/blob/main/packages/ai/src/utils/overflow.ts",
        response: json(
          {
            code: "Client specified an invalid argument",
            error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
          },
          400,
        ),
        expected: TOO_LONG,
      },
    ],
    contentType: [
      {
        title: "a whole answer as JSON",
        source: ignored,
        response: json(whole({ content: GREETING }, "stop")),
        expected: SAID,
      },
      {
        title: "a whole call as JSON",
        source: ignored,
        response: json(
          whole(
            {
              content: null,
              tool_calls: [
                {
                  id: "call_abcdefgh1",
                  type: "function",
                  function: { name: "look", arguments: JSON.stringify(LOOK.input) },
                },
              ],
            },
            "tool_calls",
          ),
        ),
        expected: CALLED,
      },
      {
        title: "an event stream that is called JSON",
        source: "https://github.com/langgenius/dify/issues/4120",
        response: {
          ...sse([chunk({ role: "assistant", content: GREETING }), chunk({}, "stop"), usage()]),
          headers: { "content-type": "application/json" },
        },
        expected: SAID,
      },
      {
        title: "half of a JSON answer",
        source: ignored,
        response: {
          headers: { "content-type": "application/json" },
          body: JSON.stringify(whole({ content: GREETING }, "stop")).slice(0, 120),
        },
        expected: TRY_AGAIN,
      },
      {
        title: "a page of a proxy",
        source: "https://developer.mozilla.org/docs/Web/HTTP/Reference/Status/502",
        response: { headers: { "content-type": "text/html" }, body: "<html>Bad gateway</html>" },
        expected: TRY_AGAIN,
      },
    ],
    errorIn200: [
      {
        title: "an error of FastAPI, instead of an answer",
        source: "https://fastapi.tiangolo.com/tutorial/handling-errors/",
        response: json({ detail: "Internal Server Error" }),
        expected: TRY_AGAIN,
      },
      {
        title: "an error that the request would meet again",
        source: "https://github.com/ardanlabs/kronk/issues/862",
        response: sse([{ error: { message: "No such model.", type: "invalid_request_error" } }]),
        expected: { failure: { retryable: false } },
      },
    ],
    noEnd: [
      {
        title: "the reason, then the end of the body",
        source: "https://github.com/esengine/DeepSeek-Reasonix/pull/8756",
        response: sse([chunk({ content: GREETING }), chunk({}, "stop")], ""),
        expected: { text: GREETING, stop: "end_turn" },
      },
      {
        title: "no reason and no mark",
        source: "https://github.com/anomalyco/opencode/pull/40061",
        response: sse([chunk({ content: GREETING })], ""),
        expected: { text: GREETING, ...TRY_AGAIN },
      },
    ],
    contentList: [
      {
        title: "a whole answer as JSON, with a list of parts",
        source: "https://github.com/spring-projects/spring-ai/pull/5020",
        response: json(whole({ content: [{ type: "text", text: GREETING }] }, "stop")),
        expected: SAID,
      },
    ],
    inputObject: [
      {
        title: "a whole call as JSON, with its input as an object",
        source: "https://github.com/BerriAI/litellm/pull/37792",
        response: json(
          whole(
            {
              content: null,
              tool_calls: [
                { id: "call_abcdefgh1", type: "function", function: { name: "look", arguments: LOOK.input } },
              ],
            },
            "tool_calls",
          ),
        ),
        expected: CALLED,
      },
    ],
    legacyCall: [
      {
        title: "a whole answer as JSON, with `function_call`",
        source: legacy,
        response: json(
          whole(
            { content: null, function_call: { name: "look", arguments: JSON.stringify(LOOK.input) } },
            "function_call",
          ),
        ),
        expected: CALLED,
      },
    ],
  },
};
